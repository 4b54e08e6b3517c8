"""Release tools: when Helm, Argo CD and Flux create an object, and when they delete it.

Sources: https://helm.sh/docs/topics/charts_hooks/,
https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/ (phases, waves, deletion policies),
https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/ and
https://fluxcd.io/flux/components/kustomize/kustomizations/#force. What a tool does with an object that exists
is in its code: ``pkg/action/hooks.go`` (Helm 3), ``gitops-engine/pkg/sync`` (Argo CD), ``ssa`` (fluxcd/pkg).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jobsworth.lint.neighbors import FLUX_KUSTOMIZATION, Neighbors, part
from jobsworth.record import Record

HELM_HOOK = "helm.sh/hook"
HELM_WEIGHT = "helm.sh/hook-weight"
HELM_POLICY = "helm.sh/hook-delete-policy"
ARGO_HOOK = "argocd.argoproj.io/hook"
ARGO_WAVE = "argocd.argoproj.io/sync-wave"
ARGO_POLICY = "argocd.argoproj.io/hook-delete-policy"

HELM_EVENTS = (
    "pre-install", "post-install", "pre-upgrade", "post-upgrade", "pre-rollback", "post-rollback",
    "pre-delete", "post-delete", "test", "test-success", "test-failure", "crd-install",
)  # fmt: skip
"""The values of helm.sh/hook; the last three are those of Helm 2. Another one gives no hook."""
HELM_POLICIES = ("before-hook-creation", "hook-succeeded", "hook-failed")
ARGO_PHASES = (
    "PreSync", "Sync", "PostSync", "SyncFail", "PreDelete", "PostDelete", "Skip",
)  # fmt: skip
ARGO_POLICIES = ("BeforeHookCreation", "HookSucceeded", "HookFailed")

BEFORE_CREATION = ("before-hook-creation", "BeforeHookCreation")
WHEN_SUCCEEDED = ("hook-succeeded", "HookSucceeded")
"""The policies of Helm and Argo CD by which the hook of a release is gone before the next one."""

SYNC_OPTIONS = "argocd.argoproj.io/sync-options"
REPLACE, FORCE, SERVER_SIDE = "Replace=true", "Force=true", "ServerSideApply=true"
"""Options of Argo CD. Force deletes what cannot be updated, but not by a server-side apply."""
FLUX_FORCE = "kustomize.toolkit.fluxcd.io/force"

ARGO_CD, FLUX, HELM = "Argo CD", "Flux", "Helm"

PHASE_ORDER = ("PreSync", "Sync", "PostSync")
"""The phases of one sync, in order. Objects without a hook belong to Sync."""


class Release(Record):
    """When Helm and Argo CD create and delete an object, by its annotations.

    Attributes:
        events: the events of Helm for which it is a hook; empty if it belongs to the release.
        weight: its weight among the hooks of an event.
        policies: the policies by which Helm deletes it.
        phases: the phases of Argo CD for which it is a hook; empty for an ordinary object.
        wave: its wave within a phase; None if it is not written.
        argo_policies: the policies by which Argo CD deletes it.
    """

    events: frozenset[str]
    weight: int
    policies: frozenset[str]
    phases: frozenset[str]
    wave: int | None
    argo_policies: frozenset[str]


def release_of(annotations: Mapping[str, Any]) -> Release:
    """Return when release tools create and delete an object with these annotations.

    >>> found = release_of({"helm.sh/hook": "pre-install, pre-upgrade", "helm.sh/hook-weight": "-5"})
    >>> sorted(found.events), found.weight
    (['pre-install', 'pre-upgrade'], -5)
    """
    return Release(
        frozenset(values_of(annotations, HELM_HOOK)),
        _weight_of(annotations.get(HELM_WEIGHT)) or 0,
        frozenset(values_of(annotations, HELM_POLICY)),
        frozenset(values_of(annotations, ARGO_HOOK)),
        _weight_of(annotations.get(ARGO_WAVE)),
        frozenset(values_of(annotations, ARGO_POLICY)),
    )


class Recreation(Record):
    """How a tool deletes an object and creates it again, where another one would be updated.

    Attributes:
        tool: the tool.
        when: when it deletes the object, in words.
    """

    tool: str
    when: str


def recreation_of(
    metadata: Mapping[str, Any], neighbors: Neighbors | None = None
) -> Recreation | None:
    """Return how a tool deletes an object and creates it again; None if it is updated.

    The deletion policy of a hook counts: if only failures are deleted, the next one meets the old object.

    >>> recreation_of({"annotations": {"helm.sh/hook": "pre-upgrade"}})
    Recreation(tool='Helm', when='before it runs the hook')
    >>> recreation_of({"annotations": {"helm.sh/hook": "test", "helm.sh/hook-delete-policy": "hook-failed"}})

    Args:
        metadata: of the object that is going to be applied.
        neighbors: the objects beside it.
    """
    annotations, labels = (
        found if isinstance(found := metadata.get(key), dict) else {}
        for key in ("annotations", "labels")
    )
    policies = [each.lower() for each in values_of(annotations, HELM_POLICY)]
    if ARGO_HOOK in annotations:
        # Argo CD reads the policies of both tools, and none that it does not know.
        both = {*policies, *values_of(annotations, ARGO_POLICY)} & {*HELM_POLICIES, *ARGO_POLICIES}
        phases = {*values_of(annotations, ARGO_HOOK)} & {*ARGO_PHASES} - {"Skip"}
        return _recreated_hook(ARGO_CD, both) if phases else None
    if HELM_HOOK in annotations:
        # Helm leaves out an object with an event that it does not know.
        events = [each.lower() for each in values_of(annotations, HELM_HOOK)]
        known = events and all(each in HELM_EVENTS for each in events)
        return _recreated_hook(HELM, set(policies)) if known else None
    options = values_of(annotations, SYNC_OPTIONS)
    if FORCE in options and (REPLACE in options or SERVER_SIDE not in options):
        return Recreation(ARGO_CD, f"because of {FORCE}")
    if any(
        isinstance(value := each.get(FLUX_FORCE), str) and value.casefold() == "enabled"
        for each in (annotations, labels)
    ):
        return Recreation(FLUX, f"because of {FLUX_FORCE}")
    return _recreated_beside(metadata.get("namespace"), neighbors)


def _recreated_hook(tool: str, policies: set[str]) -> Recreation | None:
    if not policies or not policies.isdisjoint(BEFORE_CREATION):
        return Recreation(tool, "before it runs the hook")
    if not policies.isdisjoint(WHEN_SUCCEEDED):
        return Recreation(tool, "when the hook has succeeded")
    return None


def _recreated_beside(namespace: Any, neighbors: Neighbors | None) -> Recreation | None:
    """Return what a Kustomization of Flux beside an object does with it."""
    for each in () if neighbors is None else neighbors.of_kind(FLUX_KUSTOMIZATION):
        target = part(each.value, "spec", "targetNamespace")
        if part(each.value, "spec", "force") is True and (
            not namespace or target in (None, namespace)
        ):
            return Recreation(FLUX, f"because of spec.force of the Kustomization {each.name}")
    return None


def values_of(annotations: Mapping[str, Any], key: str) -> list[str]:
    """Return the values of an annotation that has several, separated by commas."""
    text = annotations.get(key)
    if not isinstance(text, str):
        return []
    return [value.strip() for value in text.split(",") if value.strip()]


def _weight_of(text: Any) -> int | None:
    try:
        return int(text)
    except (TypeError, ValueError):
        return None
