"""The checks, by what they look at; their order is in `companion/doctor/examination.py`."""
