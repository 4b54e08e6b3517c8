"""The Common Expression Language as kube-apiserver evaluates it in admission policies."""
