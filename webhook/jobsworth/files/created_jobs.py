"""The Jobs, CronJobs and JobSets that operators create from an object, to run or explain them."""

from __future__ import annotations

from typing import Any

from jobsworth.api.jobset.versions import is_job_set
from jobsworth.kinds.child import Child
from jobsworth.kinds.children import children_of
from jobsworth.kinds.kind_table import SHIPPED
from jobsworth.validation.engine import UnknownKind, kind_of


def created_jobs(value: Any) -> list[Child]:
    """Return the Jobs, CronJobs and JobSets that operators create from an object.

    Pods that have no Job are left out, and templates that the operator completes.
    """
    if not isinstance(value, dict) or is_job_set(value):
        return []
    return [
        child
        for child in children_of(value, SHIPPED)
        if child.what and not child.is_pod and child.is_complete and _is_run(child.value)
    ]


def _is_run(value: Any) -> bool:
    if is_job_set(value):
        return True
    try:
        kind_of(value)
    except UnknownKind:
        return False
    return True
