"""Compare methods on the same clips with the same measures."""
