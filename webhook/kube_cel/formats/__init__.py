"""Text formats of Kubernetes: names, quantities, durations, numbers of Go."""
