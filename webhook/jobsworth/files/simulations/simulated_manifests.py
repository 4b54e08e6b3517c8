"""The Job or CronJob to simulate, and the scenario, from files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jobsworth.files.manifest_reading import read_documents
from jobsworth.findings.near_names import did_you_mean
from jobsworth.manifests import ManifestError
from jobsworth.usage_error import InputError
from jobsworth.validation.engine import CannotDecode, UnknownKind, engine_for
from jobsworth.whatif.simulation.scenario_reader import BadScenario, is_scenario, read_scenario
from jobsworth.whatif.virtual_time import clock

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jobsworth.api.api_server import ApiServer
    from jobsworth.manifests import Document
    from jobsworth.whatif.simulation.scenario import Scenario

NAMELESS, NO_NAMESPACE = "job", "default"
MAX_PATH_PARTS = 100
"""Parts of the path of a field; the deepest field of a Job has some twenty."""
_INDEX = re.compile("[0-9]{1,9}")


class SimulatedManifest:
    """A document with a Job or CronJob that the API server accepts.

    Attributes:
        name: for reports.
        value: the object as the client sends it.
        object: the object with defaults.
    """

    def __init__(
        self, document: Document, server: ApiServer, default: Callable[[Document], dict[str, Any]]
    ) -> None:
        self._document = document
        self._server = server
        self._default = default
        self.value = document.value
        self.name = document.file
        self.object = self._completed(document)

    def with_fields(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Return the object with other values in some fields, by their paths.

        Raises:
            InputError: the API server rejects it, or a path leads nowhere.
        """
        value = self.value
        for path, field in fields.items():
            value = with_field(value, path, field)
        return self._completed(self._document.with_value(value))

    def check_scenario(self, scenario: Scenario) -> None:
        """Check that a scenario fits the object: its containers exist, and the API server accepts its edits.

        Raises:
            InputError: a container does not exist, the API server rejects an edit, or a Job is run by hand.
        """
        self._check_containers(scenario)
        if scenario.manual_runs and self.object["kind"] != "CronJob":
            raise InputError(
                f"spec.runNow of scenario {scenario.name}: a user runs a CronJob now, and this object is a "
                "Job. Remove the field, or simulate a CronJob"
            )
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

    def _check_containers(self, scenario: Scenario) -> None:
        spec = self.object["spec"]
        pod = spec.get("jobTemplate", {}).get("spec", spec)["template"]["spec"]
        names = [
            container["name"]
            for field in ("containers", "initContainers")
            for container in pod.get(field) or ()
        ]
        for number, case in enumerate(scenario.cases):
            if case.container and case.container not in names:
                hint = did_you_mean(case.container, names)
                raise InputError(
                    f"case {number} of scenario {scenario.name}: the Job has no container "
                    f'"{case.container}"; it has {", ".join(names)}{". " + hint if hint else ""}'
                )

    def _completed(self, document: Document) -> dict[str, Any]:
        engine = engine_for(self._server)
        try:
            completed = self._default(document)
            findings = engine.validate(completed)
        except CannotDecode as failure:
            findings = failure.findings
        errors = [finding for finding in findings if finding.severity == "error"]
        if errors:
            lines = []
            for finding in errors:
                place = document.position(finding.field)
                where = f"{document.file}:{place.line}:{place.column}"
                lines.append(f"{where}: error: {finding.field}: {finding.message}")
            raise InputError("the API server rejects the object:", *lines)
        metadata = {**completed["metadata"]}
        metadata["name"] = metadata.get("name") or NAMELESS
        metadata["namespace"] = metadata.get("namespace") or NO_NAMESPACE
        return {**completed, "metadata": metadata}


def read_manifest(
    path: str, server: ApiServer, default: Callable[[Document], dict[str, Any]]
) -> SimulatedManifest:
    """Read the only Job or CronJob in a file.

    Raises:
        InputError: the file has none, or several, or the API server rejects it.
    """
    found = []
    for document in _documents(path):
        if is_scenario(document.value):
            continue
        try:
            found.append(SimulatedManifest(document, server, default))
        except UnknownKind:
            continue
    if not found:
        raise InputError(f"{path}: it has no Job or CronJob. Name a file with one")
    if len(found) > 1:
        raise InputError(f"{path}: it has {len(found)} Jobs and CronJobs. Name a file with one")
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
        InputError: a part of the path is no mapping or list, or the index is out of range.

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
