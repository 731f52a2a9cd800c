"""A configuration as one line for links and names, which can be read back."""

import json
import re
from dataclasses import fields

from encoder.model.config import EncoderConfig
from encoder.support.errors import EncoderError

PART = re.compile(r"([a-z_]{1,30})=([A-Za-z0-9_.-]{1,30})", re.ASCII)
LONGEST_TEXT = 1000  # characters
REAL = {field.name for field in fields(EncoderConfig) if field.type in (float, float | None)}  # no whole numbers
FORM = "name=value, comma, name=value, such as n_layers=8,norm_first=true"


def config_to_text(config: EncoderConfig, seed: int = 0) -> str:
    """What differs from the usual configuration, and the seed: "d_model=64,n_heads=4,seed=7".

    Raises:
        EncoderError: a model with labels, whose names may be anything; it is kept in a folder.
    """
    if config.classifier is not None:
        raise EncoderError("a configuration with labels is not written as one line; save the model in a folder")
    parts = {
        field.name: getattr(config, field.name)
        for field in fields(config)
        if getattr(config, field.name) != field.default
    }
    return ",".join(f"{name}={spell(value)}" for name, value in (parts | {"seed": seed}).items())


def spell(value: object) -> str:
    """A value as text: true and false as in JSON, names as they are."""
    return value if isinstance(value, str) else "-inf" if value == float("-inf") else json.dumps(value)


def text_to_config(text: str) -> tuple[EncoderConfig, int]:
    """The configuration and seed that `config_to_text` wrote.

    Raises:
        EncoderError: the text has another form, names something that a configuration does not have, or a value is
            outside its range.
    """
    if len(text) > LONGEST_TEXT:
        raise EncoderError(f"a configuration in {len(text)} characters; it has at most {LONGEST_TEXT}")
    kinds = {field.name: field for field in fields(EncoderConfig)}
    given: dict[str, object] = {"seed": 0}
    for part in filter(None, text.split(",")):
        match = PART.fullmatch(part)
        if not match:
            raise EncoderError(f"{part[:40]!r} is not part of a configuration; one is written as {FORM}")
        name, value = match.groups()
        if name != "seed" and name not in kinds:
            raise EncoderError(f"a configuration has no {name!r}; it has {', '.join(kinds)} and seed")
        given[name] = read(value, name in REAL)
    seed = given.pop("seed")
    if type(seed) is not int or not 0 <= seed < 2**31:
        raise EncoderError(f"seed is {seed!r}; it must be a whole number from 0 to {2**31 - 1}")
    return EncoderConfig(**given), seed  # type: ignore[arg-type]  # the configuration checks every value itself


def read(text: str, real: bool) -> object:
    """A value from its text: a number, true, false or null as in JSON, and a name as it is."""
    if real:
        try:
            return float(text)
        except ValueError:
            return text
    if re.fullmatch(r"-?\d{1,9}|true|false|null", text, re.ASCII):
        return json.loads(text)
    return text
