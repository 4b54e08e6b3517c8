"""The Jobs in the text of a manifest, and the objects beside them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from jobsworth.files.context.neighbor_files import repeated_keys
from jobsworth.lint.edit import Edit, edit_of
from jobsworth.lint.neighbors import Neighbors
from jobsworth.manifests import Document, read_text
from jobsworth.validation.engine import is_known

EDITED_AT = int(datetime(2027, 1, 2, 12, tzinfo=UTC).timestamp())
"""The time at which examples apply an update: the pages of the rules on updates name it."""


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
    values = [document.value for document in read_text(text.encode(), "job.yaml")]
    return Neighbors.of(values, repeats=repeated_keys)


def edit_in(text: str, value: Any) -> Edit | None:
    """Return the update of a Job or CronJob by the last document of a text, whose first one is the old version."""
    first, *others = jobs_in(text)
    return edit_of(first, EDITED_AT) if others and value == others[-1] else None
