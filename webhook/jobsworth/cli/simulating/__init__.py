"""The input, the runs and the output of ``jobsworth simulate``."""
