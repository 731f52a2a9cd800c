"""A request that is not answered with what it asks for."""


class RefusedError(Exception):
    """Why not, as one plain sentence, with the status of HTTP that says the same to a program.

    `after` is in how many seconds it may be asked again; 0 where that would not help.
    """

    def __init__(self, status: int, message: str, after: int = 0) -> None:
        super().__init__(message)
        self.status, self.message, self.after = status, message, after
