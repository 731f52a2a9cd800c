"""The picture of a stop of the story of a run."""

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.pictures.export.caption import About, quoted
from encoder.pictures.expression import ENC, Call, Expression, T, call
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene
from encoder.support.errors import EncoderError
from encoder.teach.story import StoryStop, Values, story
from encoder.trace.trace import Trace
from encoder.trace.unpadded import once, tokens

# The position of the word that is followed; where nobody chose one, the story itself knows which
HERO = Option("hero", lambda scene: range(len(tokens(scene.t))), lambda scene: None)


@once
def stops_of(run: Trace, encoder: TextEncoder, word: int | None = None) -> tuple[StoryStop, ...]:
    """The stops of the story of a run, and of a word of it."""
    return story(encoder, run, word)


def story_of(scene: Scene) -> Call:
    """The call that makes the story."""
    word = scene[HERO]
    return call(story, ENC, T) if word is None else call(story, ENC, T, word)


def charted(scene: Scene) -> dict[int, StoryStop]:
    """The stops whose picture is a chart, by their numbers from 1."""
    stops = stops_of(scene.t, scene.encoder, scene[HERO])
    return {i: stop for i, stop in enumerate(stops, 1) if stop.values is not None}


STOP = Option("stop", charted, lambda scene: max(charted(scene), default=0))


def stop_of(scene: Scene) -> StoryStop:
    """The chosen stop.

    Raises:
        EncoderError: the run has no story.
    """
    stops = charted(scene)
    if not stops:
        raise EncoderError("the run does not end in numbers, so it has no story")
    return stops[scene[STOP]]


def values_of(scene: Scene) -> Values:
    """What its chart shows."""
    values = stop_of(scene).values
    assert values is not None, "a chart has values"
    return values


def is_race(scene: Scene) -> bool:
    """Whether it is the ranks of words after each layer; else numbers of tokens, words or layers."""
    return stop_of(scene).picture == "race"


def series_of(scene: Scene) -> Expression:
    """The numbers of the stop."""
    series = story_of(scene)[scene[STOP] - 1].values.series
    return series["ranks"] if is_race(scene) else series


def look_of(answer: Answer) -> dict[str, object]:
    """The positions of the tokens that are drawn, or what stands at the axes of lines."""
    values, picture = values_of(answer.scene), stop_of(answer.scene).picture
    looks: dict[str, dict[str, object]] = {
        "bars": {"at": values.at},
        "lines": {"titles": ("layers behind it", values.title)},
    }
    return looks.get(picture, {})


def about_stop(scene: Scene) -> About:
    """The run, or the one of the text with the word masked."""
    masked = stop_of(scene).masked
    return About(source=scene.source, scope=quoted(masked)) if masked else About(scene.t)


STORY_PICTURE = Picture(
    key="story_picture",
    page="story",
    question="What answers the question of a stop of the story?",
    measure=series_of,
    dims=lambda scene: ("after", "guessed word") if is_race(scene) else ("series", "name"),
    names=lambda answer: {
        "series": list(values_of(answer.scene).series),
        **dict.fromkeys(("name", "guessed word"), values_of(answer.scene).names),
    },
    kind=lambda scene: {"lines": "curve", "race": "race"}.get(stop_of(scene).picture, "bars"),
    unit=lambda scene: values_of(scene).title,
    title=lambda scene: stop_of(scene).name,
    say=lambda answer: stop_of(answer.scene).sentence,
    about=about_stop,
    options=(STOP, HERO),
    look=look_of,
)
