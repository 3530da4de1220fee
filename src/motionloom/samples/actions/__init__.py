"""Actions of the person other than walking and running: one file per action."""
