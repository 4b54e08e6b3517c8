"""Notes at the end of ``jobsworth validate``: why a run fails, and what it did not check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jobsworth.files.existing_objects import ExistingObjects, OldObjects
from jobsworth.findings.finding import Threshold
from jobsworth.findings.result import INVALID, VALID, Result
from jobsworth.printable import printable
from jobsworth.wording import count

MAX_NAMED = 3
"""The maximum number of objects that a note names."""


def why_it_fails(results: Sequence[Result]) -> str:
    """Explain the exit code of a run that fails without an error."""
    failing = [result for result in results if result.fails]
    number = sum(len(result.failing) for result in failing)
    return exit_code_of(count(number, "finding"), failing[0].fail_on)


def exit_code_of(what: str, threshold: Threshold) -> str:
    """Explain the exit code of a run that fails because of ``--fail-on``.

    Args:
        what: what makes it fail, with its number.
        threshold: the severity that was given.
    """
    return f"exit code 1: {what} of at least severity {threshold} (--fail-on)"


def note_on_default_namespace(results: Sequence[Result]) -> Iterator[str]:
    """Yield the namespace in which policies evaluated objects without one, if there are any."""
    number = sum(not result.namespace for result in _validated(results))
    if number:
        yield (
            f"{count(number, 'object')} without a namespace: policies were evaluated in namespace "
            '"default"; set --namespace'
        )


def note_on_other_namespaces(results: Sequence[Result], namespace: str) -> Iterator[str]:
    """Yield the objects whose manifest names another namespace than ``--namespace``, if there are any."""
    others = [each for each in _validated(results) if each.namespace not in (None, namespace)]
    if others:
        yield printable(
            f"note: {_named(others)}: the namespace of the manifest was used, not --namespace {namespace}; "
            "kubectl apply -n rejects it"
        )


def note_on_new_objects(
    results: Sequence[Result], existing: OldObjects, against: str
) -> Iterator[str]:
    """Yield the objects of which no earlier version was found, so that no update was checked."""
    new = [each for each in _validated(results) if each.name and not existing.have(each)]
    if new:
        where = "the cluster" if against == "live" else against
        them = "it was validated as a new object" if len(new) == 1 else "they were validated as new"
        yield printable(f"note: {where} has no {_named(new)}: {them}")


def note_on_ambiguous_objects(
    results: Sequence[Result], existing: ExistingObjects, git_ref: str
) -> Iterator[str]:
    """Yield the objects that several removed ones may have been, so that no update was checked."""
    found = [each for each in _validated(results) if existing.is_ambiguous(each)]
    if found:
        them = (
            "it was validated as a new object" if len(found) == 1 else "they were validated as new"
        )
        yield printable(
            f"note: {_named(found)}: several files of {git_ref} had a different object of this name and have "
            f"it no longer, so the earlier version is not certain: {them}"
        )


def note_on_rendered_objects(
    results: Sequence[Result], sources: Sequence[str], git_ref: str
) -> Iterator[str]:
    """Yield that the objects of charts and overlays were not validated as updates, if there are any.

    Args:
        results: all results.
        sources: the charts and overlays, by which the results of their objects are named.
        git_ref: the ref with the earlier versions of the files.
    """
    number = sum(each.file in sources for each in _validated(results))
    if number:
        was, an_update = ("was", "an update") if number == 1 else ("were", "updates")
        yield printable(
            f"note: {count(number, 'rendered object')} {was} validated as new, not as {an_update} of "
            f"{git_ref}"
        )


def _validated(results: Sequence[Result]) -> list[Result]:
    return [result for result in results if result.status in (VALID, INVALID)]


def _named(results: Sequence[Result]) -> str:
    names = [
        f"{each.kind} {each.namespace + '/' if each.namespace else ''}{each.shown_name}"
        for each in results[:MAX_NAMED]
    ]
    more = len(results) - MAX_NAMED
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")
