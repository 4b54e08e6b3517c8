"""Raise errors of the functions that read a cluster in place of those of its client."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from jobsworth.client.api_errors import ApiError
from jobsworth.following.errors import ClusterError, JobNotFound
from jobsworth.following.reading.object_reading import MalformedObject
from jobsworth.whatif.replay.recording_reader import BadRecording

if TYPE_CHECKING:
    from jobsworth.following.job_reference import JobReference


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
