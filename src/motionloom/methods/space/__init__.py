"""Parametric spaces: registered examples, measured parameters, and weights for any parameters. Shared by methods.

`space.Space` holds everything as arrays. `Space.weights(values)` gives weights for parameters, `Space.pose` the poses
of N bodies for weights, and `motionloom.blend.registered_clips.play` frames of a blend.
"""
