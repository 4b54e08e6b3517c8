"""The rules whose findings come from the text of a manifest, not from a decoded Job.

A decoded Job has lost this information. The reader (:mod:`jobsworth.manifests`) records notes on the text,
each with the name of a rule here as its kind; a misspelled kind is no Job
(:mod:`jobsworth.lint.misidentified`); comments are not part of an object
(:mod:`jobsworth.evaluation.ignores`). So these rules have no check, and the linter does not run them.
"""

from __future__ import annotations

from jobsworth.lint.lint_rule import Rule
from jobsworth.lint.misidentified import NEAR_MISS

NOTES = {
    rule.name: rule
    for rule in (
        Rule(
            "JW301",
            "duplicate-key",
            severity="warning",
            summary="A mapping contains a key twice.",
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
)

RULES = (*NOTES.values(), NEAR_MISS, UNUSED_IGNORE)
