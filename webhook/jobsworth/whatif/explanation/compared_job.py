"""The outcomes of failures for one Job of a decision table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.controller import well_known_names
from jobsworth.controller.pods import ACTIVE, TERMINATING, Termination
from jobsworth.whatif.explanation.decision_rows import NO_CODE
from jobsworth.whatif.explanation.explained_job import INIT_CONTAINER
from jobsworth.whatif.explanation.failure_outcome import Outcomes, failed_pod
from jobsworth.whatif.failure_causes import DISRUPTED, STANDING_CONDITIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobsworth.whatif.explanation.explained_job import ExplainedJob
    from jobsworth.whatif.explanation.failure_outcome import Outcome
    from jobsworth.whatif.failure_causes import FailureCause


class ComparedJob:
    """One Job of a table, and the planner's decisions about its Pods."""

    def __init__(self, job: ExplainedJob) -> None:
        self.job = job
        self.containers = {container.name: container for container in job.containers}
        self.outcomes = Outcomes(job.job)

    def of_code(
        self, name: str, code: int | None, reason: str, conditions: Sequence[str]
    ) -> Outcome | None:
        """Return the outcome of a container that ends so; None if the Job has no such container."""
        container = self.containers.get(name)
        if container is None:
            return None
        # The kubelet restarts no container of a Pod that it stops.
        if code is not NO_CODE and container.restarts(code) and DISRUPTED not in conditions:
            return self.outcomes.restarted()
        ended = () if code is NO_CODE else (Termination(name, code, reason),)
        return self.outcomes.of(failed_pod(self.job.job, ended, tuple(conditions)))

    def of_cause(self, cause: FailureCause, code: int | None, name: str) -> Outcome | None:
        """Return the outcome of a cause, with one of its exit codes."""
        conditions = (
            *((cause.condition,) if cause.condition else ()),
            *(STANDING_CONDITIONS if cause.standing else ()),
        )
        if name:
            return self.of_code(name, code, cause.reason, conditions)
        job = self.job.job
        if cause.state == "pending":
            pod = failed_pod(job, phase=well_known_names.PENDING, state=ACTIVE)
        elif cause.state == "terminating":
            pod = failed_pod(job, (), conditions, phase=well_known_names.RUNNING, state=TERMINATING)
        else:
            # An init container has exited with 0 when the others run.
            ended = [
                Termination(container.name, code, cause.reason)
                for container in self.job.containers
                if code is not NO_CODE and container.role != INIT_CONTAINER
            ]
            pod = failed_pod(job, tuple(ended), conditions)
        return self.outcomes.of(pod)
