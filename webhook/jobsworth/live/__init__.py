"""Read a Job with its Pods, Events and logs from an API server, and wait for its end."""
