"""The input of ``jobsworth explain``: Jobs, the Jobs to compare them with, and single failures."""
