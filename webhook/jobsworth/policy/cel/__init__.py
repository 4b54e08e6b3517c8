"""CEL expressions of policies."""
