"""Download public motion data."""
