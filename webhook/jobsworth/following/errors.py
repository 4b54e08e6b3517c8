"""The errors of the functions that read a cluster."""

from __future__ import annotations


class ClusterError(Exception):
    """A cluster could not be read: it cannot be reached, denies a request, or sends something unexpected."""


class JobNotFound(ClusterError):
    """The cluster has no such Job, CronJob or JobSet.

    Args:
        problem: which one.
        last_event: a sentence about the last Event of one of this name; empty without one.
    """

    def __init__(self, problem: str, last_event: str = "") -> None:
        super().__init__(f"{problem}. {last_event}" if last_event else problem)
        self._problem = problem
        self._last_event = last_event

    def in_cluster(self, cluster: str) -> JobNotFound:
        """Return the same error with the name of the cluster."""
        return JobNotFound(f"{self._problem} ({cluster})", self._last_event)
