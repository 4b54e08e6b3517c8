"""Rules for the objects that a hook of Helm or Argo CD needs: they exist before it, and are still there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jobsworth.lint import needs
from jobsworth.lint.hooks import ARGO_HOOK, HELM_HOOK, PHASE_ORDER, Release, release_of
from jobsworth.lint.host_names import servers_called
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.neighbors import (
    CLAIM,
    DEPLOYMENT,
    SERVICE,
    STATEFUL_SET,
    Neighbor,
    mapping,
    parts,
)
from jobsworth.lint.pod_labels import selects
from jobsworth.lint.rules.object_references import EVERYWHERE
from jobsworth.wording import listing

if TYPE_CHECKING:
    from jobsworth.lint.referenced_objects import Reference

FIRST_CREATED = frozenset(("pre-install", "post-install", "post-delete"))
"""The events of Helm before which no earlier release has created their hooks."""
KEEP = "helm.sh/resource-policy"

WAITS = re.compile(r"\b(wait|job|until|complete)", re.IGNORECASE)
WAITS_FOR_MIGRATION = re.compile(r"(wait|check).*migrat|migrat.*(wait|check)", re.IGNORECASE)
CHECKS_MIGRATION = re.compile(
    r"\b(until|while)\b[^;\n]*"
    r"\b(migrate --check|showmigrations|check-migrations|abort_if_pending_migrations)"
)
"""Loops of a script until the migrations of usual frameworks have run."""
MIGRATES = re.compile(r"migrat", re.IGNORECASE)
MAX_WORDS_LENGTH = 32_768
"""The length of the command lines of a Job in which words are looked for."""


def _needed(job: LintedJob) -> Iterator[tuple[Reference, list[Neighbor]]]:
    """Yield the references without whose object no Pod starts, with the objects beside the Job, once each."""
    if job.neighbors is None:
        return
    seen: set[tuple[str, str]] = set()
    for reference in job.references:
        kind, name = reference.kind, reference.name
        if reference.optional or (kind, name) in seen or name in EVERYWHERE.get(kind, ()):
            continue
        seen.add((kind, name))
        found = job.neighbors.reachable(kind, name, job.namespace)
        if found:
            yield reference, found


@lint_rule(
    "JW240",
    "hook-before-its-objects",
    severity="warning",
    summary="A hook refers to an object that the release tool creates later, or has deleted already.",
    needs=needs.neighbors,
)
def hook_before_its_objects(job: LintedJob) -> Iterator[Diagnostic]:
    own = release_of(job.annotations)
    if job.cron is not None or not (own.events or own.phases or own.wave is not None):
        return
    for reference, found in _needed(job):
        reasons = [_missing(own, release_of(each.annotations), each) for each in found]
        if not all(reasons):
            continue
        yield Diagnostic(
            reference.field,
            f"The {reference.kind} {reference.name}{found[0].place} {reasons[0]}",
        )
    if own.events >= {"pre-install"} or "PreSync" in own.phases:
        yield from _servers_to_come(job, own)


def _servers_to_come(job: LintedJob, own: Release) -> Iterator[Diagnostic]:
    """Report a Service that a hook names and whose servers the release tool creates after the hook."""
    if job.neighbors is None:
        return
    hosts: set[str] | None = None
    for service in job.neighbors.beside(job.namespace, SERVICE):
        release = release_of(service.annotations)
        if release.events or release.phases or not service.selector:
            continue
        hosts = servers_called(job) if hosts is None else hosts
        if service.name not in hosts:
            continue
        for server in job.neighbors.beside(job.namespace, DEPLOYMENT, STATEFUL_SET):
            created = release_of(server.annotations)
            labels = mapping(server.value, "spec", "template", "metadata", "labels")
            if created.events or created.phases:
                continue
            if selects({"matchLabels": service.selector}, labels):
                key = HELM_HOOK if own.events else ARGO_HOOK
                tool = "Helm" if own.events else "Argo CD"
                yield Diagnostic(
                    f"metadata.annotations[{key}]",
                    f"The Job names the Service {service.name}{service.place}, whose {server.kind} "
                    f"{server.name} {tool} creates only after this hook: at the first install there is no "
                    "server to answer. Run the Job after the install, or wait for the server in it.",
                )
                return


def _missing(own: Release, needed: Release, neighbor: Neighbor) -> str:
    """Return why an object does not exist when a hook runs; empty if it may exist."""
    if own.events:
        return _missing_in_helm(own, needed, neighbor)
    return _missing_in_argo(own, needed)


def _missing_in_helm(own: Release, needed: Release, neighbor: Neighbor) -> str:
    if "pre-install" in own.events:
        if not needed.events:
            return (
                "is not a hook, so Helm creates it only after this pre-install hook, whose Pod cannot start. "
                "Make it a pre-install hook of a lower weight, or the Job a post-install hook."
            )
        if "pre-install" not in needed.events:
            return (
                f"is a hook for {listing(sorted(needed.events))} only, so it does not exist when this "
                "pre-install hook runs, whose Pod cannot start. Add pre-install to its hooks."
            )
    if (
        "post-delete" in own.events
        and not needed.events
        and neighbor.annotations.get(KEEP) != "keep"
    ):
        return (
            "is not a hook, so Helm has deleted it before this post-delete hook, whose Pod cannot start. "
            "Make it a post-delete hook of a lower weight, or the Job a pre-delete hook."
        )
    created = own.events & needed.events & FIRST_CREATED
    if "pre-install" in needed.events:
        created &= {"pre-install"}
    if created and needed.weight > own.weight:
        return (
            f"is a hook of weight {needed.weight}, and Helm creates it only after this one of weight "
            f"{own.weight}, whose Pod cannot start. Give it a lower weight."
        )
    return ""


def _missing_in_argo(own: Release, needed: Release) -> str:
    if needed.events:  # Argo CD also maps the hooks of Helm to its phases.
        return ""
    first = _first(own)
    other = _first(needed)
    if first is None or other is None or other <= first:
        return ""
    if other[0] > first[0]:
        now, later = PHASE_ORDER[first[0]], PHASE_ORDER[other[0]]
        return (
            f"is created in the phase {later}, which Argo CD starts only after this {now} hook has ended, "
            f"and its Pod cannot start at the first sync. Make it a {now} hook of a lower wave, or the Job a "
            f"{later} hook."
        )
    return (
        f"is in the sync wave {other[1]}, which Argo CD starts only after the Job in wave {first[1]} has "
        "ended, and its Pod cannot start at the first sync. Put it into a lower wave."
    )


def _first(release: Release) -> tuple[int, int] | None:
    """Return the first phase, as its number, and the wave in which an object is created; None if unknown."""
    phases = release.phases or {"Sync"}
    if not phases <= set(PHASE_ORDER):
        return None
    return min(map(PHASE_ORDER.index, phases)), release.wave or 0


@lint_rule(
    "JW241",
    "hook-object-deleted",
    severity="warning",
    summary="A Job refers to an object that is a hook and deleted as soon as its phase has succeeded.",
    needs=needs.neighbors,
)
def hook_object_deleted(job: LintedJob) -> Iterator[Diagnostic]:
    own = release_of(job.annotations)
    for reference, found in _needed(job):
        releases = [release_of(each.annotations) for each in found]
        if reference.kind == CLAIM and all(_is_foreign_hook(own, each) for each in releases):
            yield Diagnostic(
                reference.field,
                f"The PersistentVolumeClaim {reference.name}{found[0].place} is a hook, which the release "
                "tool deletes, with its data, and creates again at each release. Remove the hook annotation.",
            )
        elif all(_deleted_before(own, each) for each in releases):
            yield Diagnostic(
                reference.field,
                f"The {reference.kind} {reference.name}{found[0].place} is a hook that the release tool "
                "deletes when its phase has succeeded, and a Pod that starts later does not find it. Remove "
                "the deletion on success, or the hook annotation.",
            )


def _is_foreign_hook(own: Release, needed: Release) -> bool:
    """Return True if an object is a hook that each release deletes, and that is not only for a hook Job.

    A claim of Helm for install and upgrade that stays after a release is meant to last.
    """
    if needed.events:
        policies = needed.policies or {"before-hook-creation"}
        lasts = "hook-succeeded" not in policies and needed.events >= {"pre-install", "pre-upgrade"}
        if "before-hook-creation" in policies and lasts:
            return True
        return "before-hook-creation" in policies and not own.events & needed.events
    if needed.phases:
        policies = needed.argo_policies or {"BeforeHookCreation"}
        return "BeforeHookCreation" in policies and not own.phases & needed.phases
    return False


def _deleted_before(own: Release, needed: Release) -> bool:
    """Return True if a tool deletes an object on success, in a phase that is over when the Job runs."""
    if needed.events and "hook-succeeded" in needed.policies:
        return not own.events & needed.events
    if needed.phases and "HookSucceeded" in needed.argo_policies:
        return not own.phases & needed.phases
    return False


@lint_rule(
    "JW245",
    "hook-awaited-by-servers",
    severity="warning",
    summary="Servers wait for a Job that the release tool starts only when the servers are ready.",
    needs=needs.neighbors,
)
def hook_awaited_by_servers(job: LintedJob) -> Iterator[Diagnostic]:
    own = release_of(job.annotations)
    after = own.events & {"post-install", "post-upgrade"}
    if job.neighbors is None or job.cron is not None:
        return
    if not (after and after == own.events) and own.phases != {"PostSync"}:
        return
    for server in job.neighbors.beside(job.namespace, DEPLOYMENT, STATEFUL_SET):
        release = release_of(server.annotations)
        if release.events or release.phases:
            continue
        waiting = _waiting_container(job, server)
        if waiting:
            key = HELM_HOOK if own.events else ARGO_HOOK
            tool = "with --wait or --atomic Helm" if own.events else "Argo CD"
            yield Diagnostic(
                f"metadata.annotations[{key}]",
                f"The init container {waiting} of the {server.kind} {server.name}{server.place} waits for "
                f"this Job, and {tool} starts the hook only when the {server.kind} is ready: neither goes "
                "on. Make the Job an ordinary object with the version in its name, or run it earlier.",
            )
            return


def _waiting_container(job: LintedJob, server: Neighbor) -> str:
    """Return the init container of a server that waits for a Job; empty if none does."""
    for container in parts(server.value, "spec", "template", "spec", "initContainers"):
        name = str(container.get("name", ""))
        words = " ".join(
            str(word)
            for field in ("command", "args")
            for word in (container.get(field) or ())
            if isinstance(container.get(field), list)
        )
        if job.name and job.name in words and WAITS.search(words):
            return name
        waits = WAITS_FOR_MIGRATION.search(name) or CHECKS_MIGRATION.search(words)
        if waits and MIGRATES.search(_work(job)):
            return name
    return ""


def _work(job: LintedJob) -> str:
    """Return the words that tell what a Job does: its name and command lines."""
    lines = (
        word
        for _, container in job.containers
        for field in ("command", "args")
        for word in container.get(field, ())
    )
    return " ".join((job.name, *lines))[:MAX_WORDS_LENGTH]
