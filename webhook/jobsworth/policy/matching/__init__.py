"""Matching: select the requests that a policy applies to."""
