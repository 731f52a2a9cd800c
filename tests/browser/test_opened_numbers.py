"""Every kind of number of five models opens; its arithmetic, done again, is the run's own, and as near as is said."""

import math
import re
from functools import partial
from typing import Any

import pytest
from browser_tools import valued
from made_once import level_1
from mounted import Mounted
from playwright.sync_api import Page, expect
from tiers import mostly_nightly
from torch import Tensor

from encoder import EncoderConfig, TextEncoder, Trace
from encoder.packet.step_numbers import level_9

SENTENCE = "The keys to the cabinet [MASK] on the table."
SMALL: dict[str, Any] = {"vocab_size": 16384, "d_model": 48, "n_heads": 4, "n_layers": 2, "d_ff": 40}
MODELS = {
    "rotary": {"positions": "rotary", "norm": "rms_norm", "norm_first": True, "final_norm": True, "gated": True},
    "learned": {"positions": "learned", "activation": "gelu", "embedding_norm": True, "mlm_head": True},
    "narrow": {"positions": "learned", "embedding_size": 16, "embedding_norm": True, "shared_layers": True},
    "plain": {"norm": "std_norm", "norm_first": True, "mlm_head": True},
}
SHOWN = """detail => new Promise(done => {
  document.dispatchEvent(new CustomEvent('encoder:number', { detail }))
  const look = () => {
    const drawer = document.querySelector('.enc-number'), title = drawer?.querySelector('h2')?.textContent ?? ''
    if (store.get().number !== detail || !title.includes(' = ')) return requestAnimationFrame(look)
    const all = selector => [...drawer.querySelectorAll(selector)]
    done({ title, check: all('.on-check').map(one => one.textContent)[0] ?? '', left: all('[data-number]').length })
  }
  requestAnimationFrame(look)
})"""
CHECK = re.compile(r"Computed again in float64: (\S+)\. Recorded: (\S+)\. They agree (.*?)\.")
ENDS = ("embedding.tokens", "embedding.positions")  # what no other number of the run made


def made(base: TextEncoder, name: str) -> TextEncoder:
    return base if name == "base" else TextEncoder.from_config(EncoderConfig(**SMALL, **MODELS[name]), 5, name=name)


def packet(encoder: TextEncoder, trace: Trace, asked: dict[str, Any]) -> bytes:
    return (
        level_1(encoder, trace, off=False)
        if asked["level"] == 1
        else level_9(encoder, trace, asked["step"], asked["index"])
    )


def places(values: Tensor) -> list[tuple[int, ...]]:
    """The largest number of a step, and one in its middle."""
    most = int(values.abs().nan_to_num(posinf=0).argmax())
    whole = [most, values.numel() // 2 + 1 if values.numel() > 2 else 0]
    shape = values.shape
    return [tuple(int(flat) // math.prod(shape[d + 1 :]) % shape[d] for d in range(len(shape))) for flat in whole]


def shared(one: float, other: float, off: float = 0.0) -> int:
    """How many digits two numbers have in common: they are apart by less than one unit of the last of them.

    `off` is by how much more they may be apart than they are written.
    """
    apart = max(0.0, abs(one - other) + off * abs(one))
    return math.floor(-math.log10(apart / abs(one))) if apart else 9


@pytest.mark.parametrize("name", mostly_nightly(["base", *MODELS], ("base", "rotary")))
def test_what_is_said_of_an_opened_number_is_the_runs(mounted: Mounted, base: TextEncoder, name: str) -> None:
    encoder = made(base, name)
    trace = encoder.trace(SENTENCE)
    page: Page = mounted("start", partial(packet, encoder, trace), first={}, ready="[data-claim]")
    checked = 0
    for step in trace:
        if re.match(r"layers\.(?!1\.)", step):
            continue  # one layer stands for all
        for index in places(trace[step]):
            shown = page.evaluate(SHOWN, f"{step}:{','.join(map(str, index))}")
            value = float(trace[step][index])
            said = valued(shown["title"].rpartition(" = ")[2].replace("∞", "inf"))
            assert said == pytest.approx(value, rel=6e-4) or (math.isnan(said) and math.isnan(value)), (
                step,
                index,
                shown,
            )
            assert shown["left"] or step.startswith(ENDS) or step.endswith((".cos", ".sin")), (step, shown)
            found = CHECK.search(shown["check"])
            if found is None or not math.isfinite(value):
                continue
            again, recorded = valued(found[1]), valued(found[2])
            assert recorded == pytest.approx(value, rel=1e-8)
            assert again == pytest.approx(value, rel=2e-3, abs=1e-5), (step, index, shown)
            digits = re.match(r"to (\d+) digit", found[3])
            assert digits or found[3] == "to the last bit" or shared(again, recorded) < 1, (step, index, shown)
            if digits:
                least, most = (shared(again, recorded, off) for off in (1e-8, -1e-8))  # nine are written
                assert min(7, least) <= int(digits[1]) <= most or int(digits[1]) >= 7 <= most, (step, shown)
            checked += 1
    assert checked >= 40
    expect(page.locator(".enc-number")).to_be_visible()
