"""Defaults of policies: their schema, and their compiled form."""
