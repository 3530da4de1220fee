"""In-betweening: gaps cut from captured clips and filled again."""
