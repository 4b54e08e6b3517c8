"""Codes for what is not validated: neither of the API server nor of a lint rule."""

from __future__ import annotations

UNREADABLE, UNREADABLE_NAME = "JW090", "unreadable"
"""A file, or a document in it, cannot be parsed."""

TEMPLATE, TEMPLATE_NAME = "JW091", "template"
"""With ``--mixed``: a Helm or Jinja template is skipped."""

NO_MANIFEST, NO_MANIFEST_NAME = "JW092", "no-manifest"
"""With ``--mixed``: a document that cannot be parsed and names no Job is skipped."""

PATCH, PATCH_NAME = "JW094", "kustomize-patch"
"""A patch that a kustomization names is skipped."""

CARRIED, CARRIED_NAME = "JW095", "contained-job"
"""A Job inside of an object of another kind is not validated."""

TOO_LARGE, TOO_LARGE_NAME = "JW093", "too-large"
"""An object has more values than are evaluated."""
