"""Marker files: C3D, TRC and CSV."""
