"""Recordings of Jobs, in files and in a cluster."""
