"""Lint rules, one family a module."""
