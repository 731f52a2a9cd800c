"""Expressions of work that is done step by step, and of values with names of their own."""

import torch

from encoder import TextEncoder
from encoder.experiments.ablation import WatchedWord, ablate_each, grid
from encoder.pictures.expression import ENC, T, call, last, work_out
from encoder.pictures.expression import lines as printed


def test_the_last_of_a_generator_is_worked_out_once_and_printed_as_its_lines(small: TextEncoder) -> None:
    trace, watch = small.trace("A [MASK] ran."), WatchedWord(2, 700)
    swept = last(ablate_each, ENC, T, watch=watch)
    effects = call(grid, swept.effects, T.config, "loss")
    *_, found = ablate_each(small, trace, watch=watch)
    names, made = {"enc": small, "t": trace}, list[str]()
    value = work_out(effects, names, lambda part, now: (made.append(str(part)), now())[1])
    torch.testing.assert_close(value, grid(found.effects, small.config, "loss"))
    assert made == [str(effects), str(swept)]
    assert str(swept) == "[*ablate_each(enc, t, watch=WatchedWord(position=2, token=700))][-1]"
    torch.testing.assert_close(work_out(effects, names, known={swept: found}), value)
    lines: dict[str, torch.Tensor] = {}
    exec(printed(effects, {"t": trace}, "TextEncoder.from_pretrained('small')").replace("print(x)", ""), lines)
    torch.testing.assert_close(lines["x"], value)
