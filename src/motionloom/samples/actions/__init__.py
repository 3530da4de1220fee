"""What the person does beside walking and running: one file per action."""
