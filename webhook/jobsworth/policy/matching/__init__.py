"""Matching: which requests a policy applies to."""
