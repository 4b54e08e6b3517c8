"""The lint findings about a stored Job, for the advice of a diagnosis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from jobsworth.api.api_server import ApiServer
    from jobsworth.findings.finding import Finding

    Object = dict[str, Any]


def job_findings(server: ApiServer) -> Callable[[Object], Sequence[Finding]]:
    """Return a function that returns the lint findings about a Job that an API server has stored."""

    def findings(job: Object) -> Sequence[Finding]:
        from jobsworth.evaluation.evaluator import Evaluator
        from jobsworth.evaluation.subject import Subject

        stored = {**job, "apiVersion": "batch/v1", "kind": "Job"}
        return Evaluator(server, stored_by=server).evaluate(Subject(stored, "stored")).lint

    return findings
