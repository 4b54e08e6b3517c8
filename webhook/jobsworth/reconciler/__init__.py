"""Carries the plans of :mod:`jobsworth.controller` out against an API server."""
