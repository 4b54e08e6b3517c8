"""Completion in the shell: the metavar of an option or argument says what its values are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

Words = Callable[[click.Parameter, str], Iterable[str]]


def _rules(parameter: click.Parameter, word: str) -> Iterable[str]:
    from jobsworth.lint.catalogue import CATALOGUE

    yield from CATALOGUE
    yield from (entry.name for entry in CATALOGUE.values())


def _releases(parameter: click.Parameter, word: str) -> Iterable[str]:
    from jobsworth.api.api_server import RELEASES

    return RELEASES


def _gates(parameter: click.Parameter, word: str) -> Iterable[str]:
    from jobsworth.api.feature_gates import KNOWN_GATES

    name, equals, _ = word.partition("=")
    if equals:
        return (f"{name}=true", f"{name}=false")
    return (f"{gate}=" for gate in KNOWN_GATES)


def _formats(parameter: click.Parameter, word: str) -> Iterable[str]:
    formats: tuple[str, ...] = getattr(parameter, "words", ())
    return formats


WORDS: dict[str, Words] = {
    "RULE": _rules,
    "RELEASE": _releases,
    "NAME=BOOL": _gates,
    "FORMAT[=FILE]": _formats,
}
"""The words of a value by its metavar, without the mark of a list."""

FILES = re.compile(r"\b(PATH|JOB|FILE|OLD)\b")
"""Matches the metavar of files and folders."""

FOLDERS = re.compile(r"\bDIR\b")


def completions(parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the completions of a value.

    Args:
        parameter: the option or arguments.
        incomplete: what is typed so far; of a list, the last word is completed.
    """
    metavar = parameter.metavar or ""
    what = metavar.strip("[]").removesuffix("...").removesuffix(",")
    words = WORDS.get(metavar if metavar in WORDS else what)
    if words is not None and not ("FILE" in metavar and "=" in incomplete):
        done, comma, word = incomplete.rpartition(",")
        return [
            CompletionItem(f"{done}{comma}{each}")
            for each in words(parameter, word)
            if each.startswith(word)
        ]
    if FOLDERS.search(metavar):
        return [CompletionItem(incomplete, type="dir")]
    if FILES.search(metavar):
        return [CompletionItem(incomplete.rpartition("=")[2], type="file")]
    return []
