"""What ``jobsworth simulate`` reads, runs and writes."""
