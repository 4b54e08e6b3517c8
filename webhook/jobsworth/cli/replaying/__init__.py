"""What ``jobsworth replay`` reads: recordings in files and in a cluster."""
