"""The subject of lint rules: a Job, or the Job template of a CronJob, as written and with defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Any

from jobsworth.api.formats.cron import Schedule
from jobsworth.lint.container_start import (
    FILES_OF_OBJECTS,
    ContainerStart,
    RunCommand,
    container_starts,
)
from jobsworth.lint.matched_failures import Facts, deciding, facts_of_each
from jobsworth.lint.neighbors import Neighbors, part
from jobsworth.lint.shell_script import ShellScript

if TYPE_CHECKING:
    from jobsworth.api.api_server import ApiServer
    from jobsworth.lint.edit import Edit
    from jobsworth.lint.referenced_objects import Reference

MARKS = frozenset(("annotations", "labels"))

MAX_RULES = 20
"""The maximum number of rules that the API server accepts in a failure policy or success policy.

Lint rules compare each rule with all others and with all containers, in quadratic time. They skip longer
policies, which the API server rejects anyway.
"""


class LintedJob:
    """A Job or CronJob that can be decoded, as lint rules read it. The API server may still reject it.

    Attributes:
        kind: ``Job`` or ``CronJob``.
        written: the object as written: an unset field is an absent key.
        object: the object with the defaults of the API server.
        server: the API server that receives it.
        path: the field path of the JobSpec: ``spec``, or ``spec.jobTemplate.spec``.
        spec: the JobSpec with the defaults that the Job will have, also inside a CronJob.
        written_spec: the JobSpec as written.
        pod: the PodSpec, with defaults.
        pod_path: the field path of the PodSpec.
        rules: the rules of the failure policy; empty if there is none.
        indexed: True if completionMode is Indexed.
        containers: the field path and value of each init container and container.
        sidecars: the names of native sidecars: init containers with restartPolicy Always (KEP-753).
        cron: the CronJobSpec with defaults; None for a Job.
        schedule: the parsed schedule; None for a Job, and if it cannot be parsed.
        edit: the update that writes the object; None for a create, and if its time is unknown.
        variables: the environment variables that an operator adds; ``*`` stands for any text.
    """

    def __init__(
        self,
        *,
        kind: str,
        written: dict[str, Any],
        object: dict[str, Any],
        spec: dict[str, Any],
        server: ApiServer,
        neighbors: Neighbors | None = None,
        edit: Edit | None = None,
        variables: tuple[str, ...] = (),
        source: Any = None,
    ) -> None:
        self.kind = kind
        self.edit = edit
        self.variables = variables
        self._source = source
        self._neighbors = neighbors
        self._beside: Sequence[Any] = () if neighbors is None else neighbors.values
        self.written = written
        self.object = object
        self.server = server
        self.spec = spec
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
        pod: dict[str, Any] = spec["template"]["spec"]
        self.pod = pod
        self.pod_path = f"{self.path}.template.spec"
        self.rules: list[dict[str, Any]] = spec.get("podFailurePolicy", {}).get("rules", [])
        self.indexed = spec.get("completionMode") == "Indexed"
        self.containers = [
            (f"{self.pod_path}.{field}[{index}]", container)
            for field in ("initContainers", "containers")
            for index, container in enumerate(pod.get(field, ()))
        ]
        self.sidecars: list[str] = [
            container.get("name", "")
            for container in pod.get("initContainers", ())
            if container.get("restartPolicy") == "Always"
        ]

    @property
    def name(self) -> str:
        """The name of the object; empty if it has none."""
        name: str = self.written["metadata"].get("name", "")
        return name

    @property
    def namespace(self) -> str:
        """The namespace of the object as written; empty if it has none."""
        namespace: str = self.written["metadata"].get("namespace", "")
        return namespace

    @property
    def annotations(self) -> dict[str, str]:
        """The annotations of the object as written."""
        annotations: dict[str, str] = self.written.get("metadata", {}).get("annotations", {})
        return annotations

    @property
    def template_metadata(self) -> dict[str, Any]:
        """The metadata of the Pod template as written."""
        metadata: dict[str, Any] = self.written_spec["template"].get("metadata", {})
        return metadata

    @cached_property
    def neighbors(self) -> Neighbors | None:
        """The objects that are validated beside it; None if there are none."""
        beside = self._neighbors
        return beside if beside is not None and beside.exist() else None

    def in_file(self, kind: str) -> Iterator[dict[str, Any]]:
        """Yield the other objects of a kind in the file of the Job, as read."""
        for value in self._beside:
            own = kind == self.kind and part(value, "metadata", "name") == self.name
            if part(value, "kind") == kind and not own:
                yield value

    @property
    def has_others_in_file(self) -> bool:
        """True if its file has other objects."""
        return len(self._beside) > 1

    def others_before(self, counts: Callable[[Any], bool]) -> bool:
        """Return True if another object of its kind and name stands before it in its file."""
        return self._neighbors is not None and self._neighbors.others_before(self._source, counts)

    @property
    def has_few_rules(self) -> bool:
        """True if the failure policy has no more rules than the API server accepts, or there is none."""
        return len(self.rules) <= MAX_RULES

    @property
    def has_failure_policy(self) -> bool:
        """True if there is a failure policy, of no more rules than the API server accepts."""
        return "podFailurePolicy" in self.spec and self.has_few_rules

    def may_retry(self) -> bool:
        """Return True if the Job may replace a failed Pod: by its limits, or by a rule that ignores failures.

        With podReplacementPolicy TerminatingOrFailed, a terminating Pod counts as failed (isPodFailed), so
        without retries even an eviction is final.
        """
        if any(rule.get("action") == "Ignore" for rule in self.rules):
            return True
        return 0 not in (self.spec.get("backoffLimit"), self.spec.get("backoffLimitPerIndex"))

    def starts_runs(self, policy: str) -> bool:
        """Return True for a CronJob that has a concurrency policy and starts runs.

        A suspended one starts none, nor does one whose schedule never fires. A schedule that cannot be parsed
        counts as one that fires.
        """
        if self.cron is None or self.cron.get("suspend"):
            return False
        if self.cron.get("concurrencyPolicy") != policy:
            return False
        return self.schedule is None or self.schedule.fires_ever()

    @property
    def shortest_gap(self) -> int | None:
        """The minimum of seconds between two runs.

        None for a Job, for a schedule that never fires, and for one that cannot be parsed.
        """
        from jobsworth.lint import schedule_timing

        if self.cron is None or self.schedule is None:
            return None
        return schedule_timing.shortest_gap(self.cron["schedule"])

    def rule_path(self, index: int) -> str:
        """Return the field path of a rule of the failure policy."""
        return f"{self.path}.podFailurePolicy.rules[{index}]"

    @cached_property
    def facts(self) -> list[Facts]:
        """The facts about a Pod that make each failure policy rule match."""
        return facts_of_each(self.rules, self.container_names, windows=self.windows)

    @cached_property
    def decided(self) -> list[Facts]:
        """The facts about a Pod that each failure policy rule handles, after the earlier rules."""
        return deciding(self.facts)

    def codes_decided(self, index: int) -> frozenset[int]:
        """Return the exit codes, of any container, that a failure policy rule handles."""
        return self.decided[index].every_code()

    @cached_property
    def marks(self) -> frozenset[str]:
        """The keys of the labels and annotations of the object, the Job template and the Pod template."""
        holders = [self.written["metadata"], self.template_metadata]
        if self.cron is not None:
            holders.append(self.written["spec"]["jobTemplate"].get("metadata", {}))
        return frozenset().union(
            *(holder[part] for holder in holders for part in MARKS if part in holder)
        )

    @cached_property
    def texts(self) -> list[str]:
        """The texts that the programs of the containers get: words, values of variables and paths."""
        texts: list[str] = []
        for _, container in self.containers:
            texts += container.get("command", ())
            texts += container.get("args", ())
            texts += [each.get("value", "") for each in container.get("env", ())]
            for mount in container.get("volumeMounts", ()):
                texts += (mount.get("mountPath", ""), mount.get("subPath", ""))
            texts.append(container.get("workingDir", ""))
        return texts

    @cached_property
    def text(self) -> str:
        """All of these texts, for what is in few of them."""
        return "\n".join(self.texts)

    @cached_property
    def limited(self) -> frozenset[str]:
        """The resources of which a container has a limit."""
        limits = [each.get("resources", {}).get("limits", ()) for _, each in self.containers]
        return frozenset().union(*limits)

    @property
    def container_names(self) -> list[str]:
        """The names of all init containers and containers."""
        return [container.get("name", "") for _, container in self.containers]

    @cached_property
    def starts(self) -> list[ContainerStart]:
        """The start of each init container and container."""
        return list(container_starts(self.containers, self.pod))

    @cached_property
    def main_starts(self) -> list[ContainerStart]:
        """The start of each container that is not an init container."""
        return [start for start in self.starts if not start.is_init]

    @cached_property
    def mounted(self) -> list[ContainerStart]:
        """The starts of the scripts in objects beside the Job that its containers run."""
        volumes = self.pod.get("volumes", ())
        has_files = any(kind in each for each in volumes for kind in FILES_OF_OBJECTS)
        return list(self._read_mounted()) if has_files else []

    def _read_mounted(self) -> Iterator[ContainerStart]:
        from jobsworth.lint.mounted_scripts import mounted_scripts  # most Jobs run no such script

        seen: set[str] = set()
        waiting = list(self.starts)
        for start in waiting:
            if self.neighbors is None:
                return
            for each in mounted_scripts(start, self.neighbors, self.namespace):
                if each.field not in seen:
                    seen.add(each.field)
                    waiting.append(each)
                    yield each

    @cached_property
    def all_starts(self) -> list[ContainerStart]:
        """The start of each container, and of the scripts of volumes that they run."""
        return [*self.starts, *self.mounted]

    @cached_property
    def scripts(self) -> list[tuple[ContainerStart, ShellScript]]:
        """The scripts that shells read: in command lines, and in files of volumes."""
        return [(start, start.script) for start in self.all_starts if start.script is not None]

    @cached_property
    def commands(self) -> list[RunCommand]:
        """The commands that the containers run, from command lines and scripts."""
        return [each for start in self.all_starts for each in start.commands]

    @cached_property
    def programs(self) -> frozenset[str]:
        """The names of the programs of these commands."""
        return frozenset([command.name for command in self.commands])

    def reported_at(self, field: str, message: str, line: int) -> tuple[str, str, int]:
        """Return the field, message and line of a finding; one in a file of a volume says where it is."""
        for start in self.mounted:
            if start.field == field and start.mounted is not None:
                where = f"(In line {line + 1} of {start.mounted.origin}.)"
                return start.mounted.field, f"{message} {where}", 0
        return field, message, line

    def operator_sets(self, variable: str) -> bool:
        """Return True for an environment variable that an operator adds to the containers."""
        return any(fnmatchcase(variable, pattern) for pattern in self.variables)

    @cached_property
    def references(self) -> list[Reference]:
        """The references of the Pods to other objects, in the order of the fields."""
        from jobsworth.lint.referenced_objects import references  # only beside other objects

        written = self.written_spec["template"]["spec"]
        return list(references(self.pod, self.pod_path, self.containers, written))

    @property
    def windows(self) -> bool:
        """True if spec.os or the node selector of the Pod requires Windows."""
        labels = self.pod.get("nodeSelector", {})
        return "windows" in (self.pod.get("os", {}).get("name"), labels.get("kubernetes.io/os"))


def _read_schedule(text: str) -> Schedule | None:
    from jobsworth.api.formats import cron

    try:
        return cron.parse(text)
    except cron.BadSchedule:
        return None
