"""The rules whose findings are made before there is a Job to check, while its manifest is read.

Their subject is gone once a Job has been decoded. The reader (:mod:`jobsworth.manifests`) takes notes on
the text, each of a kind that is the name of a rule here; near misses are no Jobs
(:mod:`jobsworth.lint.misidentified`); comments are no part of an object
(:mod:`jobsworth.evaluation.ignores`). So these rules have no check, and the linter does not have them.
"""

from __future__ import annotations

from jobsworth.lint.misidentified import NEAR_MISS
from jobsworth.lint.rule import Rule

NOTES = {
    rule.name: rule
    for rule in (
        Rule(
            "JW301",
            "duplicate-key",
            severity="warning",
            summary="A key stands twice in a mapping.",
        ),
        Rule(
            "JW302",
            "merge-override",
            severity="warning",
            summary="A merge key `<<` comes after a key that it replaces.",
        ),
        Rule(
            "JW303",
            "coerced-key",
            severity="warning",
            summary="A key is no string, and becomes one that reads otherwise.",
        ),
        Rule(
            "JW304",
            "dropped-content",
            severity="warning",
            summary="kubectl reads a part of the file as if it were not there.",
        ),
        Rule(
            "JW305",
            "replaced-bytes",
            severity="warning",
            summary="Bytes of a JSON file are not UTF-8, and are replaced.",
        ),
    )
}
"""Of each kind of note on a text, the rule: kubectl does something in silence."""

UNUSED_IGNORE = Rule(
    "JW900",
    "unused-ignore",
    severity="warning",
    summary="An ignore comment or annotation has no finding to ignore.",
)

RULES = (*NOTES.values(), NEAR_MISS, UNUSED_IGNORE)
