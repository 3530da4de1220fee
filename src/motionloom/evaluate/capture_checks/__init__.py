"""Checks that find problems in captured clips."""
