"""The codes that are neither the API server's nor a lint rule's: about text that cannot be read."""

from __future__ import annotations

UNREADABLE, UNREADABLE_NAME = "JW090", "unreadable"
"""A file, or a document of it, cannot be read."""

TEMPLATE, TEMPLATE_NAME = "JW091", "template"
"""With ``--mixed``: a Helm or Jinja template is skipped."""

NO_MANIFEST, NO_MANIFEST_NAME = "JW092", "no-manifest"
"""With ``--mixed``: a document that cannot be read and names no Job is skipped."""
