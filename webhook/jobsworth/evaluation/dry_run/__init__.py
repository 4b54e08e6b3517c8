"""The dry run of a manifest in a cluster: the objects to send, the refusals, and injected containers."""
