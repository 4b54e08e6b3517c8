"""Recorded answers of Kubernetes and Go."""

from support.recorded_formats import recorded

__all__ = ["recorded"]
