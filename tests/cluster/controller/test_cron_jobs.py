"""CronJobs, TTL and history are the work of other controllers, which take our Jobs as any."""

from __future__ import annotations

import time

from cluster.controller.job import Job
from cluster.controller.pod import MERGE
from cluster.controller.scenario import Scenario
from cluster.controller.waiting import eventually
from jobsworth.controller.times import write_time


def test_a_cron_job_hands_its_jobs_to_the_controller_that_they_name(scenario: Scenario) -> None:
    bed, namespace = scenario.controller.bed, scenario.namespace
    cron_job = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "often"},
        "spec": {
            "schedule": "* * * * *",
            "concurrencyPolicy": "Forbid",
            "jobTemplate": {"spec": scenario.spec(parallelism=1, completions=1)},
        },
    }
    bed.create(cron_job, namespace)
    path = f"/apis/batch/v1/namespaces/{namespace}/cronjobs/often"
    # It was last run two minutes ago, so that it is due now.
    last = {"status": {"lastScheduleTime": write_time(int(time.time()) - 120)}}
    assert bed.request("PATCH", f"{path}/status", last, content_type=MERGE).code == 200

    def jobs() -> list[Job]:
        items = bed.get(f"/apis/batch/v1/namespaces/{namespace}/jobs")["items"]
        return [scenario.found(item) for item in items]

    eventually(lambda: "" if jobs() else "no Job was made")
    job = jobs()[0]
    assert job.created["spec"].get("managedBy") == scenario.controller.manager
    job.reaches(active=1)
    job.pod().succeeds()
    job.is_complete(succeeded=1)
    eventually(
        lambda: "" if "lastSuccessfulTime" in bed.get(path)["status"] else "it has not noticed"
    )
    bed.request("DELETE", path, {"propagationPolicy": "Background"})
