"""Serving the webhook: gunicorn, TLS, probes, metrics and reloading."""
