"""Search a motion graph: random walks, branch and bound, beam search."""
