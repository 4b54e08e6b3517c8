"""KEP-3939 and KEP-4368: a Job ends when its last Pod has ended; FailureTarget or SuccessCriteriaMet precede."""

from __future__ import annotations

from cluster.controller.job import Job
from cluster.controller.scenario import Scenario

FOREIGN = "example.com/held"


def the_last_pod_ends(job: Job) -> None:
    """Return the Pod that terminates; a foreign finalizer keeps it."""
    pod = next(pod for pod in job.pods() if pod.deleted)
    pod.succeeds()


def test_failure_waits_for_the_terminating_pod(scenario: Scenario) -> None:
    job = scenario.job(parallelism=2, completions=2, backoff_limit=0, pod_finalizers=[FOREIGN])
    job.reaches(active=2)
    job.pod().fails()
    job.reaches(failed=2, terminating=1)
    job.is_failing("BackoffLimitExceeded")
    job.stays(failed=2, terminating=1)
    the_last_pod_ends(job)
    job.has_failed("BackoffLimitExceeded", failed=2)


def test_success_waits_for_the_terminating_pod(scenario: Scenario) -> None:
    job = scenario.job(indexed=True, parallelism=2, completions=2, pod_finalizers=[FOREIGN])
    job.reaches(active=2)
    job.pod(index=0).succeeds()
    job.changes(parallelism=1, completions=1)
    job.reaches(succeeded=1, terminating=1, completed_indexes="0")
    job.is_completing("CompletionsReached")
    job.stays(succeeded=1, terminating=1, completed_indexes="0")
    the_last_pod_ends(job)
    job.is_complete("CompletionsReached", succeeded=1, completed_indexes="0")
