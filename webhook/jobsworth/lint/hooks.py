"""The hooks of Helm and Argo CD: when a tool creates an object of a release, and when it deletes it.

Sources: https://helm.sh/docs/topics/charts_hooks/ and
https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/ (phases, waves, deletion policies).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.record import Record

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

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
        _number(annotations.get(HELM_WEIGHT)) or 0,
        frozenset(values_of(annotations, HELM_POLICY)),
        frozenset(values_of(annotations, ARGO_HOOK)),
        _number(annotations.get(ARGO_WAVE)),
        frozenset(values_of(annotations, ARGO_POLICY)),
    )


def values_of(annotations: Mapping[str, Any], key: str) -> list[str]:
    """Return the values of an annotation that has several, separated by commas."""
    text = annotations.get(key)
    if not isinstance(text, str):
        return []
    return [value.strip() for value in text.split(",") if value.strip()]


def _number(text: Any) -> int | None:
    try:
        return int(text)
    except (TypeError, ValueError):
        return None
