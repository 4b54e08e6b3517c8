"""Fixes for what the API server rejects, and the documents that fixes may change."""
