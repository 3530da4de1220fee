"""Learn from the motion clips you have, and make the ones you need."""
