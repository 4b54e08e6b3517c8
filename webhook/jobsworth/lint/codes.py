"""The codes that are neither the API server's nor a lint rule's: about the text, and about ignores."""

from __future__ import annotations

UNREADABLE, UNREADABLE_NAME = "JW090", "unreadable"
"""A file, or a document of it, cannot be read."""

TEMPLATE, TEMPLATE_NAME = "JW091", "template"
"""With ``--mixed``: a Helm or Jinja template is skipped."""

NO_MANIFEST, NO_MANIFEST_NAME = "JW092", "no-manifest"
"""With ``--mixed``: a document that cannot be read and names no Job is skipped."""

NOTES = {
    "duplicate-key": "JW301",
    "merge-override": "JW302",
    "coerced-key": "JW303",
    "dropped-content": "JW304",
    "replaced-bytes": "JW305",
}
"""What kubectl does in silence with a text, by the kind of the note on it."""

UNUSED_IGNORE, UNUSED_IGNORE_NAME = "JW900", "unused-ignore"
"""An ignore comment or annotation that ignores nothing."""
