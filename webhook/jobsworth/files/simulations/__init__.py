"""Simulations of Jobs in files: their input, and many runs."""
