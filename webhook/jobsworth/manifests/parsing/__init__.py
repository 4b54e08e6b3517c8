"""Parsing: YAML and JSON exactly as kubectl reads them, with positions."""
