"""Validate Kubernetes Jobs and CronJobs as the API server does, without a cluster.

    >>> import jobsworth
    >>> job = {
    ...     "apiVersion": "batch/v1",
    ...     "kind": "Job",
    ...     "metadata": {"name": "train"},
    ...     "spec": {
    ...         "backoffLimitPerIndex": 1,
    ...         "template": {
    ...             "spec": {
    ...                 "restartPolicy": "Never",
    ...                 "containers": [{"name": "main", "image": "busybox:1.36"}],
    ...             }
    ...         },
    ...     },
    ... }
    >>> for finding in jobsworth.validate(job):
    ...     print(f"{finding.field}: {finding.message}")
    spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode
    >>> jobsworth.default(job)["spec"]["podReplacementPolicy"]
    'TerminatingOrFailed'
    >>> job["spec"].pop("backoffLimitPerIndex")
    1
    >>> limit = {"limits": {"backoffLimit": {"maximum": 3}}}
    >>> policy = {
    ...     "apiVersion": "jobsworth.dev/v1alpha1",
    ...     "kind": "JobPolicy",
    ...     "metadata": {"name": "team"},
    ...     "spec": limit,
    ... }
    >>> evaluation = jobsworth.evaluate(job, policies=[policy])
    >>> [finding.code for finding in evaluation.findings if finding.severity == "error"]
    ['JP002']

The public surface is this module: :func:`validate`, :func:`validate_text`, :func:`default`,
:func:`evaluate`, :class:`Finding`, :class:`LocatedFinding`, :class:`Evaluation`, and the exceptions.
Every other module may change in any release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jobsworth.api.api_server import (
        NEWEST_RELEASE,
        RELEASES,
        UnknownGate,
        UnknownRelease,
    )
    from jobsworth.evaluation.evaluation import Evaluation
    from jobsworth.findings.finding import Finding
    from jobsworth.functions import default, evaluate, validate, validate_text
    from jobsworth.policy.language.problems import BadPolicy
    from jobsworth.reports.result import LocatedFinding
    from jobsworth.validation.engine import CannotDecode, UnknownKind

__version__ = "0.1.0.dev0"
DESCRIPTION = "Validate Kubernetes Jobs and CronJobs as the API server does, without a cluster."

__all__ = [
    "NEWEST_RELEASE",
    "RELEASES",
    "BadPolicy",
    "CannotDecode",
    "Evaluation",
    "Finding",
    "LocatedFinding",
    "UnknownGate",
    "UnknownKind",
    "UnknownRelease",
    "default",
    "evaluate",
    "validate",
    "validate_text",
]


_MODULES = {
    "BadPolicy": "jobsworth.policy.language.problems",
    "Evaluation": "jobsworth.evaluation.evaluation",
    "Finding": "jobsworth.findings.finding",
    "LocatedFinding": "jobsworth.reports.result",
    "NEWEST_RELEASE": "jobsworth.api.api_server",
    "RELEASES": "jobsworth.api.api_server",
    "UnknownGate": "jobsworth.api.api_server",
    "UnknownRelease": "jobsworth.api.api_server",
    "CannotDecode": "jobsworth.validation.engine",
    "UnknownKind": "jobsworth.validation.engine",
    "default": "jobsworth.functions",
    "evaluate": "jobsworth.functions",
    "validate": "jobsworth.functions",
    "validate_text": "jobsworth.functions",
}
"""The module of each public name. They are imported on first use, to keep the start-up short."""


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
