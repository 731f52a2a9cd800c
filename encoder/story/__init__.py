"""The story of a run: twelve stops in five chapters, each a question to guess and what this very run answers."""

from encoder.story.stop import StoryStop, Values
from encoder.story.tell import story

__all__ = ["StoryStop", "Values", "story"]
