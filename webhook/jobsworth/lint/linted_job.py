"""What a lint rule looks at: a Job, or the Job inside a CronJob, as written and as it will run."""

from __future__ import annotations

from jobsworth.lint.matched_failures import deciding, facts_of_each

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.api.formats.cron import Schedule
    from jobsworth.api.server import ApiServer
    from jobsworth.lint.matched_failures import Facts


class Subject:
    """A Job or CronJob that the API server can decode.

    Attributes:
        kind: ``Job`` or ``CronJob``.
        written: the whole object as it was written: an unset field is an absent key.
        object: the same with the server's defaults.
        server: the server that will run it.
        path: the field path of the JobSpec: ``spec``, or ``spec.jobTemplate.spec``.
        spec: the JobSpec with the defaults that the Job will have, also inside a CronJob.
        written_spec: the JobSpec as it was written.
        cron: the CronJobSpec with defaults; None of a Job.
        schedule: when the CronJob fires; None of a Job, and where the schedule cannot be read.
    """

    __slots__ = (
        "_decided", "_facts", "cron", "kind", "object", "path", "schedule", "server", "spec", "written",
        "written_spec",
    )  # fmt: skip

    def __init__(
        self,
        *,
        kind: str,
        written: dict[str, Any],
        object: dict[str, Any],
        spec: dict[str, Any],
        server: ApiServer,
    ) -> None:
        self.kind = kind
        self.written = written
        self.object = object
        self.server = server
        self.spec = spec
        self._facts: list[Facts] | None = None
        self._decided: list[Facts] | None = None
        self.schedule: Schedule | None = None
        if kind == "CronJob":
            self.path = "spec.jobTemplate.spec"
            self.written_spec: dict[str, Any] = written["spec"]["jobTemplate"]["spec"]
            self.cron: dict[str, Any] | None = object["spec"]
            self.schedule = _read_schedule(object["spec"].get("schedule", ""))
        else:
            self.path = "spec"
            self.written_spec = written["spec"]
            self.cron = None

    @property
    def pod(self) -> dict[str, Any]:
        """The PodSpec, with defaults."""
        pod: dict[str, Any] = self.spec["template"]["spec"]
        return pod

    @property
    def pod_path(self) -> str:
        """The field path of the PodSpec."""
        return f"{self.path}.template.spec"

    @property
    def rules(self) -> list[dict[str, Any]]:
        """The rules of the failure policy; empty where there is none."""
        rules: list[dict[str, Any]] = self.spec.get("podFailurePolicy", {}).get("rules", [])
        return rules

    def rule_path(self, index: int) -> str:
        """The field path of a rule of the failure policy."""
        return f"{self.path}.podFailurePolicy.rules[{index}]"

    @property
    def facts(self) -> list[Facts]:
        """Of each rule of the failure policy, the single facts about a Pod that make it match."""
        if self._facts is None:
            self._facts = facts_of_each(self.rules, self.container_names(), windows=self.windows)
        return self._facts

    @property
    def decided(self) -> list[Facts]:
        """Of each rule of the failure policy, the single facts about a Pod that it decides."""
        if self._decided is None:
            self._decided = deciding(self.facts)
        return self._decided

    def codes_decided(self, index: int) -> frozenset[int]:
        """The exit codes that a rule of the failure policy decides, whichever container ends with them."""
        return self.decided[index].every_code()

    @property
    def indexed(self) -> bool:
        """Whether the Job has completion indexes."""
        return bool(self.spec.get("completionMode") == "Indexed")

    def containers(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every container, init containers too, with its field path."""
        for field in ("initContainers", "containers"):
            for index, container in enumerate(self.pod.get(field, ())):
                yield f"{self.pod_path}.{field}[{index}]", container

    def container_names(self) -> list[str]:
        """The names of all containers and init containers."""
        return [container.get("name", "") for _, container in self.containers()]

    @property
    def windows(self) -> bool:
        """Whether the Pod says that it runs on Windows."""
        labels = self.pod.get("nodeSelector", {})
        return "windows" in (self.pod.get("os", {}).get("name"), labels.get("kubernetes.io/os"))

    def sidecars(self) -> list[str]:
        """The names of init containers that go on running beside the others (KEP-753)."""
        return [
            container.get("name", "")
            for container in self.pod.get("initContainers", ())
            if container.get("restartPolicy") == "Always"
        ]


def _read_schedule(text: str) -> Schedule | None:
    from jobsworth.api.formats import cron  # a file without CronJobs does without it

    try:
        return cron.parse(text)
    except cron.BadSchedule:
        return None
