"""Codes for text that cannot be parsed: neither of the API server nor of a lint rule."""

from __future__ import annotations

UNREADABLE, UNREADABLE_NAME = "JW090", "unreadable"
"""A file, or a document in it, cannot be parsed."""

TEMPLATE, TEMPLATE_NAME = "JW091", "template"
"""With ``--mixed``: a Helm or Jinja template is skipped."""

NO_MANIFEST, NO_MANIFEST_NAME = "JW092", "no-manifest"
"""With ``--mixed``: a document that cannot be parsed and names no Job is skipped."""

TOO_LARGE, TOO_LARGE_NAME = "JW093", "too-large"
"""An object has more values than are evaluated."""
