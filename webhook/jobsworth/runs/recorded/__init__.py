"""A run as it was recorded: in a cluster, or in files."""
