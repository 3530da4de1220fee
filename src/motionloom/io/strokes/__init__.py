"""Pen strokes: CSV, and handwriting from MATLAB files."""
