"""Fixes of findings, applied to files in rounds."""
