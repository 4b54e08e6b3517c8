"""What a Pod says of itself, and the cause of its failure or of its wait."""
