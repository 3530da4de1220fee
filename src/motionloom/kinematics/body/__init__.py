"""Bodies: joint names, roles, proportions and rest poses."""
