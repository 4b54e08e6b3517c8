"""Findings: what jobsworth reports about an object, fixes, and near names."""
