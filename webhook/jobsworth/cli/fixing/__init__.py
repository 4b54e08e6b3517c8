"""Applying fixes to files."""
