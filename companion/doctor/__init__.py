"""`companion doctor`: what a program can find out about why an evening does not begin.

A check (`companion/doctor/api.py`) is a pure function of a `System`; all of them stand in
`companion/doctor/examination.py` in order of consequence.
"""
