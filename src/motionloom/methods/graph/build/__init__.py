"""Build a motion graph: transitions between similar frames, their alignment, and pruning (GUAN 2.4.1)."""
