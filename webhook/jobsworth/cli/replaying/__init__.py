"""The input of ``jobsworth replay``: recordings in files and in a cluster."""
