"""Requests to a graph: goals on the ground, times, labels; and messages about results."""
