"""How good a motion is: measures, baselines, all methods on the same clips, and what is wrong with a capture."""
