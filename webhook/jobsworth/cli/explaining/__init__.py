"""What ``jobsworth explain`` reads: Jobs, the Jobs to compare them with, and single failures."""
