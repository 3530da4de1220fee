"""The improved synthesis: limb by limb, along stretches of the examples, with the seams where they show least."""
