"""Lint rules, one module per family."""
