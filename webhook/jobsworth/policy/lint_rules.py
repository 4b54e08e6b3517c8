"""Which lint rules a document asks, and what their findings lead to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from jobsworth.lint.catalogue import CATALOGUE, UnknownCode, codes_named
from jobsworth.lint.linter import RULES
from jobsworth.lint.selection import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobsworth.policy.language.problems import Problems
    from jobsworth.policy.violation import Effect

OFF: Final = "off"

IN_MANIFESTS = frozenset(("JW123", "JW216"))
"""Rules about what a manifest says or leaves out, which can no longer be told of an object in a cluster."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The lint rules that a document asks.

    Attributes:
        effects: by the rule's code; rules that are off are not there.
    """

    effects: Mapping[str, Effect]


def read(value: Mapping[str, Effect | Literal["off"]], path: str, problems: Problems) -> Rules:
    """The lint rules that a document asks.

    A word is a code, a rule's name, the beginning of codes (``JW1``) or ``default``, for every rule that
    speaks unless somebody says otherwise. The word that names fewer rules counts more.

    Args:
        value: effects by words.
        path: of the rules in the document.
        problems: takes words that name no rule.
    """
    asked = {rule.code for rule in RULES} - IN_MANIFESTS
    named: list[tuple[frozenset[str], Effect | Literal["off"]]] = []
    for word, effect in value.items():
        try:
            found = _named(word)
        except UnknownCode as error:
            problems.add(f"{path}[{word}]", *_parted(str(error)))
            continue
        if found.isdisjoint(asked):
            problems.add(f"{path}[{word}]", *_why_not(found))
        named.append((found & asked, effect))
    named.sort(key=lambda pair: -len(pair[0]))
    effects = {code: effect for codes, effect in named for code in sorted(codes)}
    return Rules({code: effect for code, effect in effects.items() if effect != OFF})


def _named(word: str) -> frozenset[str]:
    if word == DEFAULT:
        return frozenset(rule.code for rule in RULES if rule.on)
    return codes_named(word)


def _parted(message: str) -> tuple[str, str]:
    said, _, hint = message.partition(": ")
    return said, hint


def _why_not(found: frozenset[str]) -> tuple[str, str]:
    if any(CATALOGUE[code].verdict for code in found):
        return (
            "is the verdict of the API server, which refuses the object by itself",
            "name a lint rule, such as JW101",
        )
    return (
        "is about what a manifest says, which an object in a cluster no longer shows",
        "ask for it where manifests are validated",
    )
