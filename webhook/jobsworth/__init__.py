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

The public surface is this module and ``jobsworth.testing``: :func:`validate`, :func:`validate_text`,
:func:`default`, :func:`evaluate`, :func:`explain`, :func:`simulate`, :func:`why` and :func:`wait` with their
variants, the classes that they return, and the exceptions. Every other module may change in any release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jobsworth._api import *  # noqa: F403

__version__ = "0.1.0.dev0"
DESCRIPTION = "Validate Kubernetes Jobs and CronJobs as the API server does, without a cluster."

if not TYPE_CHECKING:  # type checkers know the names from above

    def __getattr__(name: str) -> object:
        """Return a public name, from the module that the command line does not need as a whole."""
        import jobsworth._api as api

        if name == "__all__" or name in api.__all__:
            return getattr(api, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        import jobsworth._api as api

        return sorted({*globals(), *api.__all__})
