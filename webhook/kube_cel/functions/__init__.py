"""The functions of CEL and of Kubernetes' libraries. A name with a dot in front is called on a value."""
