"""Enrolment: which tag goes on which card, one tap after the other.

A session (`companion.enrolling.session`) is immutable. A step (`companion.enrolling.steps`) gives
the next session and what changes in the table of tags; the desk (`companion.enrolling.desk`) has
the change on the disk before anybody is shown the session.
"""
