"""Limits of policies on fields, labels, failure policies and resources."""
