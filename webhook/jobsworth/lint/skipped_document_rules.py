"""The rules for what is not validated: unreadable documents, and those that are skipped with a note."""

from __future__ import annotations

from jobsworth.lint.lint_rule import Rule

UNREADABLE = Rule(
    "JW090",
    "unreadable",
    severity="error",
    summary="A file, or a document in it, cannot be parsed.",
)
TEMPLATE = Rule(
    "JW091",
    "template",
    severity="info",
    summary="With --mixed: a Helm or Jinja template is skipped.",
)
NO_MANIFEST = Rule(
    "JW092",
    "no-manifest",
    severity="info",
    summary="With --mixed: a document that cannot be parsed and names no Job is skipped.",
)
TOO_LARGE = Rule(
    "JW093",
    "too-large",
    severity="error",
    summary="An object has more values than are evaluated.",
)
PATCH = Rule(
    "JW094",
    "kustomize-patch",
    severity="info",
    summary="A patch that a kustomization names is skipped: it is no manifest.",
)
CONTAINED_JOB = Rule(
    "JW095",
    "contained-job",
    severity="info",
    summary="An object of another kind contains a Job, which is not validated.",
)

RULES = (UNREADABLE, TEMPLATE, NO_MANIFEST, TOO_LARGE, PATCH, CONTAINED_JOB)
