"""Turn a route through a motion graph into frames."""
