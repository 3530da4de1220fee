"""Turn a plan of textons into frames."""
