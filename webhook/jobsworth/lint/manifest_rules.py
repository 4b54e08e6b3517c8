"""The rules without a check, which the linter does not run: of texts, and of what is not validated.

A decoded Job has lost what :data:`MANIFEST_RULES` report. Their findings have three sources: the reader
(:mod:`jobsworth.manifests`) records notes on the text, each with the name of a rule as its kind;
:mod:`jobsworth.lint.misidentified` reports objects with a misspelled kind, which are not decoded as a Job;
:mod:`jobsworth.evaluation.ignores` reads the ignore comments. The rules about JobSets run beside those about
each Job: :mod:`jobsworth.lint.job_set_rules`. :data:`SKIPPED_RULES` report unreadable
documents, those that are skipped with a note, and updates that are none.
"""

from __future__ import annotations

from jobsworth.lint.job_set_rules import JOB_SET_RULES
from jobsworth.lint.lint_rule import Rule
from jobsworth.lint.misidentified import NEAR_MISS

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
    summary="A Helm or Jinja template is skipped: with --mixed, and in a chart.",
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
    summary="A patch that a kustomization names is skipped: it is not a manifest.",
)
UNVALIDATED = Rule(
    "JW095",
    "unvalidated",
    severity="info",
    summary="A document of another kind contains a Job or a Pod template, which is not validated.",
)
TOP_LEVEL_LIST = Rule(
    "JW096",
    "top-level-list",
    severity="error",
    summary="A document is a list of Jobs or CronJobs, which kubectl cannot decode.",
)
NO_OBJECT = Rule(
    "JW097",
    "no-object",
    severity="warning",
    summary="A file or folder that the command line names has no Kubernetes object.",
)

RECREATED = Rule(
    "JW098",
    "recreated",
    severity="info",
    summary="A release tool deletes an object and creates it again, where an update would be rejected.",
)

CHART = Rule(
    "JW099",
    "chart",
    severity="info",
    summary="The templates of a chart are not rendered, so that nothing of them is validated.",
)

SKIPPED_RULES = (
    UNREADABLE, TEMPLATE, NO_MANIFEST, TOO_LARGE, PATCH, UNVALIDATED, TOP_LEVEL_LIST, NO_OBJECT,
    RECREATED, CHART,
)  # fmt: skip


NOTES = {
    rule.name: rule
    for rule in (
        Rule(
            "JW301",
            "duplicate-key",
            severity="warning",
            summary="A mapping contains a key twice.",
            fixable="safe",
        ),
        Rule(
            "JW302",
            "merge-override",
            severity="warning",
            summary="A merge key `<<` follows a key that it overrides.",
        ),
        Rule(
            "JW303",
            "coerced-key",
            severity="warning",
            summary="A key is not a string, and its string form differs from its text.",
        ),
        Rule(
            "JW304",
            "dropped-content",
            severity="warning",
            summary="kubectl ignores a part of the file.",
        ),
        Rule(
            "JW305",
            "replaced-bytes",
            severity="warning",
            summary="A JSON file contains bytes that are not UTF-8; kubectl replaces them.",
        ),
    )
}
"""The rule of each kind of note: kubectl changes or drops something without a warning."""

UNUSED_IGNORE = Rule(
    "JW900",
    "unused-ignore",
    severity="warning",
    summary="An ignore comment or annotation matches no finding.",
    confidence="certain",
)

MANIFEST_RULES = (*NOTES.values(), NEAR_MISS, UNUSED_IGNORE, *JOB_SET_RULES)
