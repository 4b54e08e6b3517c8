"""Defaults of policies, and how they are applied to an object."""
