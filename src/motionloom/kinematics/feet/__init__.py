"""Feet: contacts, plants, pinning, clearance while they swing, and the causal foot lock of live characters."""
