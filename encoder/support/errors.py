"""What the library says when it refuses something: one class, whose message is a sentence that a person can act on."""


class EncoderError(ValueError):
    """An argument, a text or a file that cannot be used; the message names the value and what it must be."""
