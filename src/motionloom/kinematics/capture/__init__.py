"""Faults of captured clips: glitches, and T-poses at the start."""
