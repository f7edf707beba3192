"""Makes what is handed on: the wheel, and a Debian package that carries it.

`./run package` is the command. Nothing of this is part of the wheel.
"""
