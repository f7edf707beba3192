"""What taps mean in octopus alarm."""

from companion.meaning.octopus_alarm.understanding import OctopusAlarm

__all__ = ["OctopusAlarm"]
