"""Measures of motion quality, and the table that lists them."""
