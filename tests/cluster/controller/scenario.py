"""A scenario: Jobs in a namespace of their own, whose kubelet, users and observers the test simulates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cluster.bed import EXIT_CODE, RUN_FOR
from cluster.bed.audit_log import AuditLog
from cluster.controller.job import Job
from cluster.controller.job_policies import camel_case
from cluster.controller.pod import Pod
from cluster.controller.scraped_metrics import total
from cluster.controller.waiting import eventually

if TYPE_CHECKING:
    from cluster.controller.controllers import Controller

OWN = object()  # the Job names the controller that the scenario is about


class Scenario:
    """Jobs in a namespace of their own, and the checks that hold for all of them.

    Args:
        controller: of the Jobs.

    Attributes:
        namespace: of this scenario alone.
    """

    def __init__(self, controller: Controller) -> None:
        self.controller = controller
        self.namespace = controller.bed.namespace("scenario")
        self._calls = AuditLog(controller.bed.folder.audit_log).from_now()
        self._counted_before = controller.counters()
        self._jobs: list[Job] = []
        # Pods that ended long ago have no back-off left. jobsworth is configured for a short one instead.
        self.long_ago = controller.built_in

    def ends(self) -> None:
        """Check the invariants, and leave nothing behind for the next scenario.

        No ended Pod is still tracked, and nothing that the controller wrote was rejected as invalid.
        """
        eventually(self._kept, explain=self.described)
        invalid = [
            f"{call.verb} {call.resource}"
            for call in self._calls.calls(user_agent="job-controller")
            if call.namespace == self.namespace and call.code == 422
        ]
        assert not invalid, f"refused: {invalid}\n{self.described()}"
        self._clear()

    def job(
        self,
        name: str = "job",
        *,
        indexed: bool = False,
        managed_by: object = OWN,
        restart_policy: str = "Never",
        pod: dict[str, Any] | None = None,
        pod_finalizers: Sequence[str] = (),
        exit_code: str | None = None,
        exit_codes: dict[int, str] | None = None,
        run_for: str | None = None,
        **spec: Any,
    ) -> Job:
        """Create a Job.

        Args:
            managed_by: its ``managedBy``; None for none.
            pod: further fields of its Pods' spec.
            pod_finalizers: of its Pods, besides the controller's own.
            exit_code, exit_codes: on a bed with a kubelet, how its Pods end (see ``cluster.bed.stages``), all of them
                and those of one index.
            run_for: on such a bed, how long each of them runs.
            spec: further fields of its spec: ``backoff_limit=1``.
        """
        answer = self.controller.bed.request(
            "POST",
            f"/apis/batch/v1/namespaces/{self.namespace}/jobs",
            {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "metadata": {"name": name},
                "spec": self.spec(
                    indexed=indexed,
                    managed_by=managed_by,
                    restart_policy=restart_policy,
                    pod=pod,
                    pod_finalizers=pod_finalizers,
                    annotations=_ends(exit_code, exit_codes or {}, run_for),
                    **spec,
                ),
            },
        )
        assert answer.code == 201, answer
        job = Job(self, answer.body)
        self._jobs.append(job)
        return job

    def spec(
        self,
        *,
        indexed: bool = False,
        managed_by: object = OWN,
        restart_policy: str = "Never",
        pod: dict[str, Any] | None = None,
        pod_finalizers: Sequence[str] = (),
        annotations: dict[str, str] | None = None,
        **spec: Any,
    ) -> dict[str, Any]:
        """A Job's spec; the arguments are those of ``job``."""
        manager = self.controller.manager if managed_by is OWN else managed_by
        template = {
            "metadata": {"finalizers": list(pod_finalizers), "annotations": annotations or {}},
            "spec": {
                "restartPolicy": restart_policy,
                "containers": [{"name": "main", "image": "busybox:1.36"}],
                **(pod or {}),
            },
        }
        return {
            **({} if manager is None else {"managedBy": manager}),
            **({"completionMode": "Indexed"} if indexed else {}),
            **camel_case(spec),
            "template": template,
        }

    def found(self, stored: dict[str, Any]) -> Job:
        """Return a Job that another client created in the namespace."""
        job = Job(self, stored)
        self._jobs.append(job)
        return job

    def pods(self) -> list[Pod]:
        """All Pods of the namespace, the oldest first."""
        items = self.controller.bed.get(f"/api/v1/namespaces/{self.namespace}/pods")["items"]
        pods = [Pod(self.controller.bed, item, long_ago=self.long_ago) for item in items]
        return sorted(pods, key=lambda pod: pod.created_at)

    def counted(self, metric: str, times: int, **labels: str) -> None:
        """Wait until a counter has gone up by so much since the scenario began.

        Args:
            metric: without its prefix ``job_controller_``.
            labels: of the series that are added up; others may have any value.
        """

        def missing() -> str:
            now = self.controller.counters()
            counted = total(now, metric, labels) - total(self._counted_before, metric, labels)
            return "" if counted == times else f"{metric} {labels} counted {counted}, not {times}"

        eventually(missing)

    def all_pods_are_free(self) -> None:
        """Wait until no Pod of the namespace, ended or not, has the controller's finalizer."""
        finalizer = self.controller.finalizer

        def missing() -> str:
            kept = [pod.name for pod in self.pods() if finalizer in pod.finalizers]
            return f"still tracked: {kept}" if kept else ""

        eventually(missing, explain=self.described)

    def _clear(self) -> None:
        bed, options = self.controller.bed, {"propagationPolicy": "Background"}
        bed.request("DELETE", f"/apis/batch/v1/namespaces/{self.namespace}/jobs", options)
        for pod in self.pods():
            for finalizer in pod.finalizers:
                if finalizer.startswith("example.com/"):
                    pod.loses_finalizer(finalizer)
        path = f"/api/v1/namespaces/{self.namespace}/pods"
        bed.request("DELETE", path, {"gracePeriodSeconds": 0})

    def described(self) -> str:
        """Describe its Jobs, their Pods and events, for failure messages."""
        events = [line for line in self.controller.log().splitlines() if self.namespace in line]
        return "\n".join([*(job.described() for job in self._jobs), *events[-8:]])

    def _kept(self) -> str:
        """Ended Pods of the controller's Jobs that still have its finalizer; there must be none."""
        ours = {
            job.uid
            for job in self._jobs
            if job.created["spec"].get("managedBy") == self.controller.manager
        }
        kept = [
            pod.name
            for pod in self.pods()
            if pod.ended and self.controller.finalizer in pod.finalizers and _owners(pod) & ours
        ]
        return f"ended Pods are still tracked: {kept}" if kept else ""


def _owners(pod: Pod) -> set[str]:
    return {each["uid"] for each in pod.stored["metadata"].get("ownerReferences", ())}


def _ends(exit_code: str | None, exit_codes: dict[int, str], run_for: str | None) -> dict[str, str]:
    of_all = {} if exit_code is None else {EXIT_CODE: exit_code}
    of_all |= {} if run_for is None else {RUN_FOR: run_for}
    return of_all | {f"{EXIT_CODE}.{index}": code for index, code in exit_codes.items()}
