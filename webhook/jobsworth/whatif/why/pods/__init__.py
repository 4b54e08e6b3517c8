"""Facts of a Pod, and the cause of its failure or of its wait."""
