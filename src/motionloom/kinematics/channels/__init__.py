"""Channels: clips as plain arrays of numbers, and back. Every statistical method works on these.

`clips` maps whole clips, exactly reversibly. `metric` maps local frames to coordinates in metres, for models of many
frames; `sides` keeps these continuous for joints that turn far. Both start from `local_frames.observe` and end with
`local_frames.restore`.
"""

from motionloom.kinematics.channels.clips import Channels, fit_layout, from_channels, to_channels
from motionloom.kinematics.channels.layout import Layout

__all__ = ["Channels", "Layout", "fit_layout", "from_channels", "to_channels"]
