"""The errors of the functions that read a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from jobsworth.client.api_errors import ApiError
from jobsworth.live.job_reference import JobReference
from jobsworth.live.object_reading import MalformedObject
from jobsworth.runs.recorded.recording_reader import BadRecording


class ClusterError(Exception):
    """A cluster could not be read: it cannot be reached, denies a request, or sends something unexpected."""


class JobNotFound(ClusterError):
    """The cluster has no such Job, CronJob or JobSet.

    Args:
        problem: the missing object.
        last_event: a sentence about the last Event of one of this name; empty without one.
    """

    def __init__(self, problem: str, last_event: str = "") -> None:
        super().__init__(f"{problem}. {last_event}" if last_event else problem)
        self._problem = problem
        self._last_event = last_event

    def in_cluster(self, cluster: str) -> JobNotFound:
        """Return the same error with the name of the cluster."""
        return JobNotFound(f"{self._problem} ({cluster})", self._last_event)


@contextmanager
def cluster_errors(reference: JobReference, cluster: str) -> Iterator[None]:
    """Raise a ClusterError in place of an error of the client.

    Raises:
        JobNotFound: the object does not exist.
        ClusterError: any other error of the API server, the network or the configuration.
    """
    try:
        yield
    except JobNotFound as error:
        raise error.in_cluster(cluster) from None
    except ApiError as error:
        if error.not_found:
            raise JobNotFound(f"there is no {reference.title} ({cluster})") from None
        raise ClusterError(str(error)) from error
    except (MalformedObject, BadRecording) as error:
        raise ClusterError(str(error)) from error
