"""Lint rules that a policy enforces, with the effect of their findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from jobsworth.lint.catalogue import CATALOGUE, UnknownCode, codes_named
from jobsworth.lint.lint_rule import DEFAULT_CONFIDENCE
from jobsworth.lint.linter import RULES
from jobsworth.lint.selection import DEFAULT
from jobsworth.policy.problems import Problems
from jobsworth.policy.violation import Effect

OFF: Final = "off"

IN_MANIFESTS = frozenset(("JW123", "JW216"))
"""Rules about the text of a manifest, which an object in a cluster no longer has."""


@dataclass(frozen=True, slots=True)
class LintRules:
    """The lint rules that a policy enforces.

    Attributes:
        effects: the effect by rule code; rules that are off are absent.
    """

    effects: Mapping[str, Effect]

    @property
    def can_deny(self) -> bool:
        """Return True if a finding of a rule denies the request."""
        return any(effect == "deny" for effect in self.effects.values())


def read(value: Mapping[str, Effect | Literal["off"]], path: str, problems: Problems) -> LintRules:
    """Return the lint rules that a policy enforces.

    A key is a code, a rule's name, a prefix of codes (``JW1``) or ``default`` for every rule that is on by
    default. If several keys select a rule, the key that selects the fewest rules decides.

    Args:
        value: the effect by key.
        path: the path of the rules in the document.
        problems: collects the keys that select no rule.
    """
    supported = {rule.code for rule in RULES} - IN_MANIFESTS
    named: list[tuple[frozenset[str], Effect | Literal["off"]]] = []
    for word, effect in value.items():
        try:
            found = _named(word)
        except UnknownCode as error:
            problems.add(f"{path}[{word}]", *_message_and_hint(str(error)))
            continue
        if found.isdisjoint(supported):
            problems.add(f"{path}[{word}]", *_unsupported(found))
        named.append((found & supported, effect))
    named.sort(key=lambda pair: -len(pair[0]))
    effects = {code: effect for codes, effect in named for code in sorted(codes)}
    return LintRules({code: effect for code, effect in effects.items() if effect != OFF})


def _named(word: str) -> frozenset[str]:
    if word == DEFAULT:
        return frozenset(rule.code for rule in RULES if rule.is_reported_at(DEFAULT_CONFIDENCE))
    return codes_named(word)


def _message_and_hint(message: str) -> tuple[str, str]:
    text, _, hint = message.partition(": ")
    return text, hint


def _unsupported(found: frozenset[str]) -> tuple[str, str]:
    if any(CATALOGUE[code].verdict for code in found):
        return (
            "is an error of the API server, which rejects the object itself",
            "name a lint rule, such as JW101",
        )
    return (
        "checks the text of a manifest, which an object in a cluster does not have",
        "remove it here and run it with jobsworth validate",
    )
