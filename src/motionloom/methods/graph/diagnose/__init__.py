"""Diagnose a motion graph: connectivity, missing transitions, label sets, and coverage of speeds and turns."""
