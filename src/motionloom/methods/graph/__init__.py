"""The motion graph that all graph methods share: building, diagnosis, requests, search and rendering."""

from motionloom.methods.graph.graph import Graph, Piece, Route, Transitions

__all__ = ["Graph", "Piece", "Route", "Transitions"]
