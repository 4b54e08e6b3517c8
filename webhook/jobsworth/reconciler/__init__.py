"""Executes the plans of :mod:`jobsworth.controller` against an API server."""
