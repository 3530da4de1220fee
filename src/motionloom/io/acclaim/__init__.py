"""Acclaim captures: ASF skeletons and AMC motion."""
