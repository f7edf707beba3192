"""A board of the table in software: the real firmware in the real MicroPython, on a pty."""
