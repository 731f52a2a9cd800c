"""The story of a run: twelve stops in five chapters, each a question to guess and what this very run answers."""

from encoder.teach.story.chapters import story
from encoder.teach.story.stop import StoryStop, Values

__all__ = ["StoryStop", "Values", "story"]
