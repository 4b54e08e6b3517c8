"""The Job to explain: the planner's view of it, and the rules and containers as written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.termination_rules import ANNOTATION, TerminationRule, rules_of
from jobsworth.api.jobset.failure_policy import (
    DEFAULT_ACTION,
    FAIL,
    FAILED_BY_RULE,
    FAILED_JOBS,
    REACHED_MAX_RESTARTS,
    RESTART_JOB,
    RESTART_JOB_UNCOUNTED,
    RESTART_UNCOUNTED,
    FailurePolicy,
    FailureRule,
)
from jobsworth.controller.jobs import Job, read_job
from jobsworth.controller.settings import OURS, ControllerSettings, built_in, settings_of
from jobsworth.controller.status import Status
from jobsworth.runs.cause import Cause
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


@dataclass(frozen=True, slots=True)
class ExplainedJobSet:
    """The JobSet of a Job.

    Attributes:
        policy: its failure policy; None without one.
        replicated_job: the name of the ReplicatedJob of the Job.
        jobs: the number of its Jobs.
    """

    policy: FailurePolicy | None
    replicated_job: str
    jobs: int

    def consequence(self, reason: str) -> str:
        """Return what the JobSet does with a Job of the ReplicatedJob that fails for a reason, as a clause.

        A rule with message patterns decides only about some Jobs, so the next rules are named, too.
        """
        if self.policy is None:
            return f"the JobSet fails ({FAILED_JOBS}), because it has no failure policy"
        return "; else ".join(self._consequences(reason, self.policy))

    def _consequences(self, reason: str, policy: FailurePolicy) -> Iterator[str]:
        for index, rule in enumerate(policy.rules):
            if self._concerns(rule, reason):
                words = (
                    f"by failurePolicy.rules[{index}] {rule.action}, {self._effect(rule.action)}"
                )
                if not rule.patterns:
                    yield words
                    return
                yield f"if its message matches {' or '.join(rule.patterns)}, {words}"
        yield f"without a matching rule, {self._effect(DEFAULT_ACTION)}"

    def _concerns(self, rule: FailureRule, reason: str) -> bool:
        return (not rule.reasons or reason in rule.reasons) and (
            not rule.targets or self.replicated_job in rule.targets
        )

    def _effect(self, action: str) -> str:
        jobs = "its only Job" if self.jobs == 1 else f"all its {self.jobs} Jobs"
        if action in (RESTART_JOB, RESTART_JOB_UNCOUNTED):
            jobs = "this Job"
        if action == FAIL:
            return f"the JobSet fails ({FAILED_BY_RULE})"
        if action in (RESTART_UNCOUNTED, RESTART_JOB_UNCOUNTED):
            return f"the JobSet restarts {jobs}, without limit"
        most = 0 if self.policy is None else self.policy.max_restarts
        if most <= 0:
            return f"the JobSet fails ({REACHED_MAX_RESTARTS}), because maxRestarts is {most}"
        times = "once" if most == 1 else f"{most} times"
        return f"the JobSet restarts {jobs}, at most {times}, then fails ({REACHED_MAX_RESTARTS})"
