"""The one graph that all motion-graph methods share: what it is made of, how it is built, pruned and rendered."""

from motionloom.methods.graph.graph import Graph, Piece, Route, Transitions

__all__ = ["Graph", "Piece", "Route", "Transitions"]
