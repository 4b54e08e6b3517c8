"""The Job to explain: the planner's view of it, and the rules and containers as written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.termination_rules import ANNOTATION, TerminationRule, rules_of
from jobsworth.controller.jobs import Job, read_job
from jobsworth.controller.settings import OURS, ControllerSettings, built_in, settings_of
from jobsworth.controller.status import Status
from jobsworth.runs.cause import Cause
from jobsworth.runs.explanation.explained_job_set import ExplainedJobSet
from jobsworth.runs.failure_causes import unmarked_causes

CONTAINER, INIT_CONTAINER, SIDECAR = "container", "init container", "sidecar"


@dataclass(frozen=True, slots=True)
class ExplainedContainer:
    """A container of the Pod template.

    Attributes:
        role: CONTAINER, INIT_CONTAINER or SIDECAR (an init container with restartPolicy Always, KEP-753).
        restart_policy: its own restart policy, or else the Pod's.
        restart_rules: its restartPolicyRules (KEP-5307), as (operator, exit codes).
    """

    name: str
    role: str
    restart_policy: str
    restart_rules: tuple[tuple[str, frozenset[int]], ...] = ()

    def restarts(self, code: int) -> bool:
        """Return True if the kubelet restarts the container in the same Pod after an exit code.

        A sidecar is restarted too, but its exit code is matched once the Pod has failed, so this
        returns False for it.
        """
        if self.role == SIDECAR or code == 0:
            return False
        for operator, codes in self.restart_rules:
            if (code in codes) == (operator == "In"):
                return True
        return self.restart_policy in ("OnFailure", "Always")


@dataclass(frozen=True, slots=True)
class ExplainedJob:
    """A Job to explain.

    Attributes:
        job: the Job as the planner reads it: not suspended, without status, as if it just started.
        spec: the JobSpec with defaults.
        rules: the rules of ``spec.podFailurePolicy``.
        termination_rules: the rules of the annotation that extends the API.
        containers: of the Pod template, app containers first.
        windows: the Pods run on Windows, where an exit code can be any number.
        ignored_extension: the Job has such an annotation, but its controller does not apply it.
        cron_job: the spec of the CronJob that creates it; None for a single Job.
        job_set: the JobSet that creates it; None for a single Job.
        server: the API server of the cluster.
    """

    job: Job
    spec: Mapping[str, Any]
    rules: tuple[dict[str, Any], ...]
    termination_rules: tuple[TerminationRule, ...]
    containers: tuple[ExplainedContainer, ...]
    windows: bool
    ignored_extension: bool = False
    cron_job: Mapping[str, Any] | None = None
    job_set: ExplainedJobSet | None = None
    server: ApiServer = field(default_factory=ApiServer)

    @property
    def unmarked(self) -> frozenset[Cause]:
        """The causes that leave no DisruptionTarget in the release of the cluster."""
        return unmarked_causes(self.server)

    @property
    def settings(self) -> ControllerSettings:
        """The settings of its controller: ours, or the built-in one of the release."""
        return OURS if OURS.manages(self.spec.get("managedBy")) else built_in(self.server)

    def container(self, name: str) -> ExplainedContainer | None:
        """Return a container by its name; None if there is none."""
        return next((each for each in self.containers if each.name == name), None)


def explained_job(
    created: Mapping[str, Any], cron_job: Mapping[str, Any] | None = None
) -> ExplainedJob:
    """Read a Job to explain.

    Args:
        created: a valid Job with the API server's defaults; for a CronJob the Job that it creates.
        cron_job: the valid CronJob; None for a Job.
    """
    name = None if cron_job is None else (cron_job.get("metadata") or {}).get("name")
    spec: dict[str, Any] = created["spec"]
    meta = created.get("metadata") or {}
    annotations = meta.get("annotations") or {}
    settings = settings_of(spec.get("managedBy"))
    value = {
        "metadata": {
            "name": f"{name}-xxxxxxxx" if name else meta.get("name") or "xxxxxxxx",
            "namespace": meta.get("namespace") or "default",
            "uid": "job",
            "annotations": annotations,
        },
        "spec": spec,
    }
    pod = spec["template"]["spec"]
    labels = pod.get("nodeSelector") or {}
    return ExplainedJob(
        job=replace(read_job(value, settings), suspended=False, status=Status()),
        spec=spec,
        rules=tuple((spec.get("podFailurePolicy") or {}).get("rules") or ()),
        termination_rules=rules_of(value)[0] if settings.termination_rules else (),
        containers=tuple(_containers(pod)),
        windows="windows" in ((pod.get("os") or {}).get("name"), labels.get("kubernetes.io/os")),
        ignored_extension=ANNOTATION in annotations and not settings.termination_rules,
        cron_job=None if cron_job is None else cron_job["spec"],
    )


def _containers(pod: Mapping[str, Any]) -> list[ExplainedContainer]:
    found = []
    for listed, role in (("containers", CONTAINER), ("initContainers", INIT_CONTAINER)):
        for container in pod.get(listed) or ():
            own = container.get("restartPolicy")
            always = listed == "initContainers" and own == "Always"
            found.append(
                ExplainedContainer(
                    container.get("name") or "",
                    SIDECAR if always else role,
                    own or pod.get("restartPolicy") or "",
                    tuple(_restart_rules(container)),
                )
            )
    return found


def _restart_rules(container: Mapping[str, Any]) -> list[tuple[str, frozenset[int]]]:
    return [
        (codes.get("operator") or "", frozenset(codes.get("values") or ()))
        for rule in container.get("restartPolicyRules") or ()
        if (codes := rule.get("exitCodes")) is not None
    ]
