"""String formats of the Kubernetes API; errors use the API server's wording."""
