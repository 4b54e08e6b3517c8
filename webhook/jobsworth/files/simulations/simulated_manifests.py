"""The Job, CronJob or JobSet to simulate, and the scenario, from files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.jobset.failure_policy import RESTART_JOB, RESTART_JOB_UNCOUNTED
from jobsworth.api.jobset.message_patterns import is_matched, malformation
from jobsworth.api.jobset.names import REPLICATED_JOB
from jobsworth.api.jobset.versions import is_job_set
from jobsworth.files.located_findings import is_about_key
from jobsworth.files.manifest_reading import read_documents
from jobsworth.findings.finding import Finding
from jobsworth.findings.near_names import did_you_mean
from jobsworth.kinds.child import Child
from jobsworth.kinds.children import created_jobs
from jobsworth.kinds.job_set_children import children as job_set_children
from jobsworth.lint.misidentified import near_miss
from jobsworth.manifests import Document, ManifestError
from jobsworth.provenance.generated_fields import as_created
from jobsworth.runs.simulation.scenario import Scenario
from jobsworth.runs.simulation.scenario_reader import BadScenario, is_scenario, read_scenario
from jobsworth.runs.virtual_time import clock
from jobsworth.usage_error import InputError
from jobsworth.validation.engine import CannotDecode, UnknownKind, engine_for
from jobsworth.validation.job_sets import verdict

NAMELESS, NO_NAMESPACE = "job", "default"
MAX_PATH_PARTS = 100
"""Parts of the path of a field; the deepest field of a Job has some twenty."""
_INDEX = re.compile("[0-9]{1,9}")


class SimulatedManifest:
    """A document with a Job, CronJob or JobSet, or with another object from which an operator creates one.

    Attributes:
        name: for reports.
        value: the Job, CronJob or JobSet as the client, or the operator, sends it.
        object: it with defaults.
        children: of a JobSet, for each ReplicatedJob one of its Jobs, with defaults.
        what: what an operator creates, such as ``the Job that KEDA creates``; empty for the document itself.
    """

    def __init__(
        self,
        document: Document,
        server: ApiServer,
        default: Callable[[Document], dict[str, Any]],
        number: int | None = None,
    ) -> None:
        """Complete the object.

        Args:
            default: applies defaults to a Job or CronJob.
            number: of the created object; None for the document itself.

        Raises:
            InputError: the API server rejects it.
        """
        self._document = document
        self._server = server
        self._default = default
        self._number = number
        self.name = document.file
        self.children: tuple[dict[str, Any], ...] = ()
        created = None if number is None else created_jobs(document.value)[number]
        self.what = "" if created is None else created.what
        value: Any = as_created(document.value) if created is None else created.value
        self.value = value
        if is_job_set(value):
            self.object = self._job_set(value, created)
        else:
            self.object = self._job(value, created)

    def with_fields(self, fields: dict[str, Any]) -> SimulatedManifest:
        """Return the manifest with other values in some fields, by their paths.

        Raises:
            InputError: the API server rejects it, or a path leads nowhere.
        """
        value = self._document.value
        for path, field in fields.items():
            value = with_field(value, path, field)
        changed = self._document.with_value(value)
        return SimulatedManifest(changed, self._server, self._default, self._number)

    def check_scenario(self, scenario: Scenario) -> None:
        """Check that a scenario fits the object: what it names exists, and the API server accepts its edits.

        Raises:
            InputError: a container or ReplicatedJob does not exist, the API server rejects an edit, or a Job
                is run by hand.
        """
        kind = self.object["kind"]
        self._check_containers(scenario)
        self._check_replicated_jobs(scenario)
        if scenario.manual_runs and kind != "CronJob":
            raise InputError(
                f"spec.runNow of scenario {scenario.name}: a user runs a CronJob now, and this object is a "
                f"{kind}. Remove the field, or simulate a CronJob"
            )
        if kind != "CronJob" and any(each.of == "Jobs" for each in scenario.rejections):
            raise InputError(
                f"rejected Jobs of scenario {scenario.name} are those of a CronJob; this object is a {kind}"
            )
        if kind == "JobSet" and scenario.deletions:
            raise InputError(
                f"spec.deleteJob of scenario {scenario.name} is not simulated for a JobSet, which creates a "
                "deleted Job again"
            )
        if kind == "JobSet":
            self._check_suspensions(scenario)
            return
        engine, stored = engine_for(self._server), self.object
        for change in sorted(scenario.changes, key=lambda change: change.at):
            edited = {**stored, "spec": {**stored["spec"], **change.spec}}
            try:
                findings = engine.validate(edited, stored)
            except CannotDecode as failure:
                findings = failure.findings
            for finding in findings:
                if finding.severity == "error":
                    when = f"the edit at {clock(change.at)} of scenario {scenario.name}"
                    raise InputError(
                        f"the API server rejects {when}: {finding.field}: {finding.message}"
                    )
            stored = edited

    def _check_suspensions(self, scenario: Scenario) -> None:
        for change in scenario.changes:
            others = [name for name in change.spec if name != "suspend"]
            if others or not isinstance(change.spec.get("suspend", False), bool):
                raise InputError(
                    f"the edit at {clock(change.at)} of scenario {scenario.name}: of a JobSet only suspend, "
                    "true or false, can be simulated as an edit"
                )

    def _check_containers(self, scenario: Scenario) -> None:
        names = [
            container["name"]
            for job in self.children or (self.object,)
            for field in ("containers", "initContainers")
            for container in _pod(job).get(field) or ()
        ]
        for number, case in enumerate(scenario.cases):
            if case.container and case.container not in names:
                hint = did_you_mean(case.container, names)
                raise InputError(
                    f"case {number} of scenario {scenario.name}: the Job has no container "
                    f'"{case.container}"; it has {", ".join(names)}{". " + hint if hint else ""}'
                )

    def _check_replicated_jobs(self, scenario: Scenario) -> None:
        selectors = [case.selector for case in scenario.cases]
        selectors += [disruption.selector for disruption in scenario.disruptions]
        asked = dict.fromkeys(name for each in selectors for name in each.replicated_jobs)
        names = [job["metadata"]["labels"][REPLICATED_JOB] for job in self.children]
        for name in asked:
            if name in names:
                continue
            of = f"the JobSet has {', '.join(names)}" if names else "the object is not a JobSet"
            hint = did_you_mean(name, names)
            raise InputError(
                f'replicatedJobs of scenario {scenario.name}: there is no "{name}"; {of}'
                f"{'. ' + hint if hint else ''}"
            )

    def _job(self, value: Any, created: Child | None) -> dict[str, Any]:
        """Return a Job or CronJob with defaults, a name and a namespace.

        Raises:
            UnknownKind: it is something else.
        """
        engine = engine_for(self._server)
        try:
            completed = self._default(self._document.with_value(value))
            findings = engine.validate(completed)
        except CannotDecode as failure:
            findings = failure.findings
        self._check(findings, created)
        return _named(completed)

    def _job_set(self, value: dict[str, Any], created: Child | None) -> dict[str, Any]:
        """Return a JobSet with defaults, and set its children."""
        decided = verdict(value, server=self._server)
        self._check(decided.findings, created)
        assert decided.defaulted is not None  # there is no error
        job_set = _named(decided.defaulted)
        policy = job_set["spec"].get("failurePolicy") or {}
        if policy.get("restartStrategy") == "InPlaceRestart":
            raise InputError(
                f"{self.name}: spec.failurePolicy.restartStrategy: InPlaceRestart is not simulated"
            )
        for number, rule in enumerate(policy.get("rules") or ()):
            if rule["action"] in (RESTART_JOB, RESTART_JOB_UNCOUNTED):
                raise InputError(
                    f"{self.name}: spec.failurePolicy.rules[{number}].action: {rule['action']} is not "
                    "simulated"
                )
            for pattern in rule.get("onJobFailureMessagePatterns") or ():
                if not malformation(pattern) and not is_matched(pattern):
                    raise InputError(
                        f"{self.name}: spec.failurePolicy.rules[{number}].onJobFailureMessagePatterns: the "
                        f"pattern {pattern[:40]} is too long, or has too many repeats, to be simulated"
                    )
        found = job_set_children(job_set)
        self.children = tuple(
            self._job(child.value, child if created is None else child.within(created))
            for child in found
        )
        if not self.children:
            raise InputError(
                f"{self.name}: the JobSet creates no Job. Set spec.replicatedJobs, with replicas"
            )
        return job_set

    def _check(self, findings: Iterable[Finding], created: Child | None) -> None:
        """Raise an InputError for errors of the API server, at the fields of the document."""
        errors = [finding for finding in findings if finding.severity == "error"]
        if not errors:
            return
        lines = []
        for finding in errors:
            field = finding.field if created is None else created.origin(finding.field) or ""
            place = self._document.position(field, key=is_about_key(finding))
            where = f"{self._document.file}:{place.line}:{place.column}"
            lines.append(f"{where}: error: {field}: {finding.message}")
        what = "the object" if created is None else created.what
        raise InputError(f"the API server rejects {what}:", *lines)


def _named(value: dict[str, Any]) -> dict[str, Any]:
    metadata = {**value["metadata"]}
    metadata["name"] = metadata.get("name") or NAMELESS
    metadata["namespace"] = metadata.get("namespace") or NO_NAMESPACE
    return {**value, "metadata": metadata}


def _pod(value: dict[str, Any]) -> dict[str, Any]:
    spec = value["spec"]
    pod: dict[str, Any] = spec.get("jobTemplate", {}).get("spec", spec)["template"]["spec"]
    return pod


def read_manifest(
    path: str, server: ApiServer, default: Callable[[Document], dict[str, Any]]
) -> SimulatedManifest:
    """Read the only Job, CronJob or JobSet in a file, written or created by an operator from what is written.

    Raises:
        InputError: the file has none, or several, or the API server rejects it.
    """
    return only_manifest(_documents(path), path, server, default)


class NothingToSimulate(InputError):
    """Raised for documents without a Job, CronJob or JobSet."""


def only_manifest(
    documents: Iterable[Document],
    name: str,
    server: ApiServer,
    default: Callable[[Document], dict[str, Any]],
) -> SimulatedManifest:
    """Return the only Job, CronJob or JobSet of some documents, or that an operator creates from one.

    Args:
        name: of the documents, for messages.

    Raises:
        NothingToSimulate: there is none.
        InputError: there are several, or the API server rejects it.
    """
    found = []
    misidentified = ""
    for document in documents:
        if is_scenario(document.value):
            continue
        numbers: list[int | None] = [*range(len(created_jobs(document.value)))] or [None]
        for number in numbers:
            try:
                found.append(SimulatedManifest(document, server, default, number))
            except UnknownKind:
                finding = near_miss(document.value)
                if finding is not None:
                    line = document.position(finding.field, key=is_about_key(finding)).line
                    misidentified = misidentified or f". Line {line}: {finding.message}"
    if not found:
        advice = misidentified or ". Name a file with one"
        raise NothingToSimulate(f"{name}: it has no Job, CronJob or JobSet{advice}")
    if len(found) > 1:
        raise InputError(
            f"{name}: it has {len(found)} Jobs, CronJobs and JobSets. Name a file with one"
        )
    return found[0]


def read_scenario_document(
    path: str, *, optional: bool = False
) -> tuple[Any, Callable[[Any], Scenario]] | None:
    """Read the only JobScenario in a file; return the document and a reader of it or of variants.

    Args:
        optional: the file may have none; the result is None then.

    Raises:
        InputError: the file has none, or several, or it is invalid.
    """
    found = [document for document in _documents(path) if is_scenario(document.value)]
    if optional and not found:
        return None
    if len(found) != 1:
        raise InputError(f"{path}: expected one document of kind JobScenario, found {len(found)}")
    (document,) = found

    def reader(value: Any) -> Scenario:
        try:
            return read_scenario(value)
        except BadScenario as error:
            lines = []
            for problem in error.problems:
                place = document.position(problem.field)
                where = f"{document.file}:{place.line}:{place.column}"
                lines.append(f"{where}: error: {problem}")
            raise InputError("the scenario is invalid:", *lines) from None

    return document.value, reader


def _documents(path: str) -> list[Document]:
    documents = []
    for document in read_documents([path]):
        if isinstance(document, ManifestError):
            raise InputError(str(document))
        documents.append(document)
    return documents


def with_field(value: Any, path: str, new: Any) -> Any:
    """Return a copy of a value with another value at a path; missing mappings are created.

    Raises:
        InputError: a part of the path is not a mapping or list, or the index is out of range.

    >>> with_field({"spec": {"rules": [{"pods": 1}]}}, "spec.rules[0].pods", 3)
    {'spec': {'rules': [{'pods': 3}]}}
    """
    steps: list[str | int] = []
    names = path.split(".")
    for name in names[:MAX_PATH_PARTS]:
        key, *indexes = name.replace("]", "").split("[")
        steps += [key, *(int(index) if _INDEX.fullmatch(index) else index for index in indexes)]
    parts = max(len(names), len(steps))
    if parts > MAX_PATH_PARTS:
        raise InputError(
            f"{path[:40]}…: the path has {parts:,} parts, and no field is so deep. Name a field such as "
            "spec.backoffLimit"
        )
    return _with(value, steps, new, path)


def _with(value: Any, steps: list[str | int], new: Any, path: str) -> Any:
    if not steps:
        return new
    step, *rest = steps
    if isinstance(step, int) and isinstance(value, list) and step < len(value):
        return [*value[:step], _with(value[step], rest, new, path), *value[step + 1 :]]
    if isinstance(step, str) and (value is None or isinstance(value, dict)):
        known = value or {}
        return {**known, step: _with(known.get(step), rest, new, path)}
    raise InputError(f"{path}: there is no such field")
