"""The Jobs in the text of a manifest, and the objects beside them."""

from __future__ import annotations

from typing import Any

from jobsworth.lint.neighbors import Neighbors
from jobsworth.manifests import Document, read_text
from jobsworth.validation.engine import is_known


def job_documents(text: str) -> list[Document]:
    """Return the documents of a text that are Jobs or CronJobs."""
    documents = read_text(text.encode(), "job.yaml")
    assert all(document.error is None for document in documents)
    return [document for document in documents if is_known(document.value)]


def jobs_in(text: str) -> list[Any]:
    """Return the Jobs and CronJobs of a text."""
    return [document.value for document in job_documents(text)]


def neighbors_in(text: str) -> Neighbors:
    """Return the objects of a text to which its Jobs may refer."""
    return Neighbors.of([document.value for document in read_text(text.encode(), "job.yaml")])
