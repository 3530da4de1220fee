"""Read what a request asks of a graph: goals on the ground, times, labels; and messages about results."""
