"""EDEN's synthesis: every joint of every frame is chosen by its neighbourhood in the texture of joints and frames."""
