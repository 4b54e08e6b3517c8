"""The types of CEL, and the check that a release of kube-apiserver does before it stores an expression."""
