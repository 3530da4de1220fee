"""Edits of clips that record their recipe, and the repetition of any recipe."""
