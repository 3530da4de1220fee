"""Measurements. Each module has `figures()`; `python -m benchmarks` runs them and writes figures.json."""
