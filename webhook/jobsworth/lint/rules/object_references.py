"""Rules for the objects that a Pod refers to, where the manifests beside it show what was meant.

A manifest is rarely validated with everything that its Pods need: Secrets are seldom in a repository, and
controllers make objects. So no rule reports that an object is absent. They report a name that is one slip
from that of an object, a namespace that cannot be reached, and a key that an object does not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from jobsworth.findings.fix import Edit, Fix
from jobsworth.findings.near_names import fold, near, slips
from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.neighbors import CLAIM, CONFIG_MAP, SECRET, SERVICE_ACCOUNT, Neighbor, Neighbors

if TYPE_CHECKING:
    from jobsworth.lint.referenced_objects import Reference

EVERYWHERE = {
    SERVICE_ACCOUNT: ("default", "builder", "deployer"),
    CONFIG_MAP: ("kube-root-ca.crt", "openshift-service-ca.crt"),
}
"""Objects that Kubernetes or OpenShift makes in each namespace."""

CONSEQUENCES = {
    SERVICE_ACCOUNT: "the Job controller cannot create a Pod without its ServiceAccount",
    CONFIG_MAP: "a Pod does not start without its ConfigMap",
    SECRET: "a Pod does not start without its Secret",
    CLAIM: "no node is found for a Pod without its PersistentVolumeClaim",
}
PULLED_WITHOUT = "the kubelet pulls images without a Secret that is absent"
STARTED_WITHOUT = "the Pod starts without it, because it is optional"

MIN_WORD_LENGTH = 4
"""A slip in a shorter word of a name, such as ``db`` or ``rw``, is probably another word."""
MAX_SHOWN = 8
"""The maximum number of keys listed in a message."""
MAX_REORDERED = 500
"""The maximum number of objects whose words are compared with those of an absent one."""
MAX_COMPARED = 50
"""The maximum number of names or keys with which a misspelled one is compared: 14 µs each."""


def _consequence(reference: Reference) -> str:
    if ".imagePullSecrets[" in reference.field:
        return PULLED_WITHOUT
    return STARTED_WITHOUT if reference.optional else CONSEQUENCES[reference.kind]


def slip_of(name: str, known: Iterable[str]) -> str:
    """Return the name of which another is a misspelling; empty if it may be a name of its own.

    A misspelling differs in one letter of one long word, or in case and separators. Names such as
    ``db-1`` and ``db-2``, or ``cache-rw`` and ``cache-ro``, do not.

    >>> slip_of("trainer-conifg", ["trainer-config"]), slip_of("data-rw", ["data-ro"])
    ('trainer-config', '')
    """
    meant = near(name, known)
    if meant is None or not meant.sure:
        return ""
    if fold(meant.name) == fold(name):
        return meant.name
    words, other = (each.replace(".", "-").split("-") for each in (name, meant.name))
    if len(words) != len(other):
        return ""
    different = [pair for pair in zip(words, other, strict=True) if pair[0] != pair[1]]
    if len(different) != 1:
        return ""
    one, two = different[0]
    if min(len(one), len(two)) < MIN_WORD_LENGTH or not (one + two).isalpha():
        return ""
    return meant.name if slips(one, two, 1) == 1 else ""


def reordered(name: str, other: str) -> bool:
    """Return True for names of the same words in another order.

    >>> reordered("backup-patch-sa", "backup-sa-patch"), reordered("db-1-2", "db-2-1")
    (True, False)
    """
    words, others = name.split("-"), other.split("-")
    return (
        words != others
        and len(words) > 1
        and sorted(words) == sorted(others)
        and not any(each.isdecimal() for each in words)
    )


def _reordered_among(neighbors: Neighbors, kind: str, namespace: str, name: str) -> str:
    """Return the only object of a kind in a namespace with the words of a name; empty for none."""
    known = neighbors.in_namespace(kind, namespace) if "-" in name else {}
    if len(known) > MAX_REORDERED:
        return ""
    found = [each for each in known if reordered(name, each)]
    return found[0] if len(found) == 1 else ""


@lint_rule(
    "JW701",
    "misspelled-reference",
    severity="warning",
    summary="A Pod refers to an absent object, and one beside it differs in a letter or the order of words.",
    fixable="unsafe",
    needs=needs.neighbors,
)
def misspelled_reference(job: LintedJob) -> Iterator[Diagnostic]:
    if job.neighbors is None:
        return
    reported: set[str] = set()
    for reference in job.references:
        name, kind, field = reference.name, reference.kind, reference.field
        if not name or field in reported or name in EVERYWHERE.get(kind, ()):
            continue
        if job.neighbors.named(kind, name):
            continue
        known = job.neighbors.alike(kind, job.namespace, name)
        meant = slip_of(name, known) if 0 < len(known) <= MAX_COMPARED else ""
        meant = meant or _reordered_among(job.neighbors, kind, job.namespace, name)
        if not meant or job.neighbors.may_make(name):
            continue
        reported.add(field)
        beside = job.neighbors.in_namespace(kind, job.namespace)[meant]
        yield Diagnostic(
            field,
            f"No {kind} is named {name} beside this manifest, but one is named {meant}"
            f"{beside.place}: {_consequence(reference)}. Write {meant} if it is meant.",
            Fix(f"Refer to {meant}", Edit("set", field, meant), safe=False),
        )


@lint_rule(
    "JW702",
    "reference-to-other-namespace",
    severity="warning",
    summary="A Pod refers to an object that is beside it only in another namespace.",
    needs=needs.neighbors,
)
def reference_to_other_namespace(job: LintedJob) -> Iterator[Diagnostic]:
    if job.neighbors is None or not job.namespace:
        return
    reported: set[str] = set()
    for reference in job.references:
        name, kind = reference.name, reference.kind
        if reference.field in reported or name in EVERYWHERE.get(kind, ()):
            continue
        found = job.neighbors.named(kind, name)
        if not found or job.neighbors.reachable(kind, name, job.namespace):
            continue
        if reference.optional or job.neighbors.may_make(name):
            continue
        reported.add(reference.field)
        yield Diagnostic(
            reference.field,
            f"The {kind} {name} is in the namespace {found[0].namespace}{found[0].place}, and a Pod reaches "
            f"only those of its own, {job.namespace}: {CONSEQUENCES[kind]}. Put both into one namespace.",
        )


@lint_rule(
    "JW703",
    "missing-key",
    severity="warning",
    summary="A Pod refers to a key that the ConfigMap or Secret beside it does not have.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.neighbors,
)
def missing_key(job: LintedJob) -> Iterator[Diagnostic]:
    if job.neighbors is None:
        return
    keys_of: dict[tuple[str, str], dict[str, None]] = {}
    for reference in job.references:
        key, kind, name = reference.key, reference.kind, reference.name
        if not key or reference.optional:
            continue
        if (kind, name) not in keys_of:
            keys_of[kind, name] = _known_keys(job.neighbors.reachable(kind, name, job.namespace))
        keys = keys_of[kind, name]
        if not keys or key in keys or job.neighbors.may_write(name, key):
            continue
        shown = ", ".join(list(keys)[:MAX_SHOWN]) + (", …" if len(keys) > MAX_SHOWN else "")
        meant = near(key, keys) if len(keys) <= MAX_COMPARED else None
        fix = None
        if meant is not None and meant.sure:
            edit = Edit("set", reference.key_field, meant.name)
            fix = Fix(f"Refer to the key {meant.name}", edit, safe=False)
        place = job.neighbors.reachable(kind, name, job.namespace)[0].place
        yield Diagnostic(
            reference.key_field,
            f"The {kind} {name}{place} has no key {key}, without which a Pod does not start; it has {shown}. "
            "Refer to one of them, or add the key.",
            fix,
        )


def _known_keys(objects: list[Neighbor]) -> dict[str, None]:
    """Return the keys of objects with the same name, such as variants for two clusters; empty if unknown."""
    keys: set[str] = set()
    for each in objects:
        if each.keys is None:
            return {}
        keys |= each.keys
    return dict.fromkeys(sorted(keys))
