"""The types of ``jobset.x-k8s.io/v1alpha2``: JobSet."""
