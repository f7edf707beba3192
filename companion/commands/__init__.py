"""The words of the command `companion`, by what they are for."""
