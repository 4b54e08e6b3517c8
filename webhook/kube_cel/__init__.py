"""The Common Expression Language as kube-apiserver has it, by release: see README.md beside this file."""
