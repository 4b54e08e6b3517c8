"""Running policies on manifests and test cases."""
