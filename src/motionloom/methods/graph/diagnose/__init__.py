"""Describe a motion graph: how it is connected, what is missing, and which motion it covers."""
