"""Reach an API server: configuration, transport, errors, paging, watch, retry, leases, rate limit."""
