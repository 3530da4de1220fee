"""How good a motion is: measures of quality, baselines, all methods on the same clips, and what is wrong with a capture."""
