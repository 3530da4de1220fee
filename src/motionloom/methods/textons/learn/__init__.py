"""Learn textons: segmentation, linear dynamic systems, and the prior that they share (LI 4)."""
