"""Where some tokens look and who looks at them, in one sentence."""

from torch import Tensor

from encoder.formatting import percent, shown
from encoder.metrics import given_and_received


def fact(weights: Tensor, tokens: list[str], chosen: list[int]) -> str:
    """The main fact about the chosen tokens in weights [n, n]."""
    out, into = given_and_received(weights, chosen)
    best, most = int(out.argmax()), int(into.argmax())
    names = " and ".join(f"“{shown(tokens[i])}” ({i})" for i in chosen)
    look, their, them = ("look", "their", "them") if len(chosen) > 1 else ("looks", "its", "it")
    return (
        f"{names} {look} most at “{shown(tokens[best])}” ({best}), with {percent(float(out[best]))} of {their} weight; "
        f"“{shown(tokens[most])}” ({most}) looks most at {them}, with {percent(float(into[most]))} of its own weight."
    )
