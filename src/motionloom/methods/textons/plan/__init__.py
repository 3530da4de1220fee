"""Plan a motion: which textons, in which order, for how long (LI 5.1, 5.2 and 6.2)."""
