"""The root of the errors that a person is to read."""


class PlainError(Exception):
    """Something cannot be done; the text is a plain sentence that says why and what to do."""
