"""Read and follow Jobs of an API server: requests as values, and drivers that carry them out."""
