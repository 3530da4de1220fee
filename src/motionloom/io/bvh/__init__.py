"""BVH files: reader and writer."""
