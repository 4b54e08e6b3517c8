"""The messages with which the API server rejects a Job or CronJob, each with an example that yields it.

The files of ``messages/`` say what a message means; the message itself, its releases and its fix come from
evaluating the example.
"""

from __future__ import annotations

import copy
import dataclasses
import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from jobsworth.api.api_server import ALLOW_PRIVILEGED, NEWEST_RELEASE, RELEASES, ApiServer
from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.configuration.settings import Settings
from jobsworth.files.file_evaluation import FileEvaluator
from jobsworth.files.fixing.autofix_loop import autofix
from jobsworth.manifests.editing.yaml_writer import to_yaml
from jobsworth.validation.engine import engine_for

if TYPE_CHECKING:
    from jobsworth.findings.finding import Finding
    from jobsworth.findings.fix import Fix
    from jobsworth.findings.located_finding import LocatedFinding
    from jobsworth.findings.result import Result

FOLDER = Path(__file__).parent / "messages"
PLACES = {
    "metadata": "metadata",
    "cron": "spec",
    "spec": "spec",
    "pod-metadata": "spec.template.metadata",
    "pod": "spec.template.spec",
    "container": "spec.template.spec.containers[0]",
}
"""Where each group of changes applies; below ``spec.jobTemplate`` for the last four of a CronJob."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A message of the API server.

    Attributes:
        page: the name of its page, without suffix.
        rule: the key of the rule that reports it.
        means: its meaning, as Markdown.
        changes: what makes the smallest valid object an example, by the keys of :data:`PLACES`.
        fixed: what makes the example valid; None if jobsworth's own fix does.
        stored: for an update: what makes the smallest valid object the stored one.
        solution: what to do, if no change of the manifest is the solution.
        kubectl: for an object that cannot be decoded: the words of the server.
        field: the field of the error, if the rule reports several.
        message: the message of the error, if the rule reports several.
        server: options of the API server.
        sources: where the behavior is described.
        see: related pages of the documentation, relative to docs/.
    """

    page: str
    rule: str
    means: str
    kind: str = "Job"
    changes: dict[str, Any]
    fixed: dict[str, Any] | None = None
    stored: dict[str, Any] | None = None
    solution: str = ""
    kubectl: str = ""
    field: str = ""
    message: str = ""
    server: dict[str, Any] = dataclasses.field(default_factory=dict)
    sources: tuple[str, ...]
    see: tuple[str, ...] = ()

    @property
    def example(self) -> dict[str, Any]:
        """The smallest object that is rejected with the message."""
        return changed(smallest(self.kind), self.changes)

    @property
    def old(self) -> dict[str, Any] | None:
        """The stored object of an update."""
        return None if self.stored is None else changed(smallest(self.kind), self.stored)

    def findings(self, release: str | None = None) -> list[Finding]:
        """Return the errors of the API server in the example."""
        server = self._server(release)
        found = engine_for(server).validate(self.example, self.old)
        return [finding for finding in found if finding.severity == "error"]

    def finding(self, release: str | None = None) -> Finding | None:
        """Return the error that the page is about; None if the release does not report it."""
        return next((each for each in self.findings(release) if self._is_meant(each)), None)

    def releases(self) -> dict[str, str]:
        """Return the message in each release that reports it."""
        found = {release: self.finding(release) for release in RELEASES}
        return {release: each.message for release, each in found.items() if each is not None}

    def solved(self) -> tuple[str, Fix | None]:
        """Return the text of the valid object, and jobsworth's fix that makes it.

        Without a fix, the object is the one that the author of the page wrote; the text is empty if no change
        of the object is the solution.
        """
        if self.fixed is not None:
            return to_yaml([changed(self.example, self.fixed)]), None
        if self.solution:
            return "", None
        text = to_yaml([self.example])
        fixed = autofix(
            self._evaluator(), "job.yaml", text.encode(), unsafe=True, reported=_is_error
        )
        fixes = [
            attempt.located.finding.fix for result in fixed.results for attempt in result.attempts
        ]
        return fixed.data.decode(), next(filter(None, fixes), None)

    def diff(self) -> str:
        """Return the change from the example to the valid object; empty without one."""
        after, _ = self.solved()
        if not after:
            return ""
        before = to_yaml([self.example]).splitlines()
        lines = difflib.unified_diff(before, after.splitlines(), n=3, lineterm="")
        return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))

    def _is_meant(self, finding: Finding) -> bool:
        return (
            finding.rule == self.rule
            and self.field in ("", finding.field)
            and self.message in ("", finding.message)
        )

    def _evaluator(self) -> FileEvaluator:
        settings = Settings(allow_privileged=self.server.get("allow_privileged", ALLOW_PRIVILEGED))
        return FileEvaluator(Configurations(settings, isolated=True))

    def _server(self, release: str | None) -> ApiServer:
        allowed = self.server.get("allow_privileged", ALLOW_PRIVILEGED)
        return ApiServer(release or NEWEST_RELEASE, None, allow_privileged=allowed)


def _is_error(result: Result, located: LocatedFinding) -> bool:
    return located.finding.severity == "error"


@dataclass(frozen=True, slots=True)
class Family:
    """Messages about one part of an object."""

    title: str
    about: str
    rejections: tuple[Rejection, ...]


def families() -> list[Family]:
    """Read all messages."""
    return [_family(path) for path in sorted(FOLDER.glob("*.yaml"))]


def smallest(kind: str) -> dict[str, Any]:
    """Return the smallest valid object."""
    container = {"name": "main", "image": "registry.example.com/main:1.0.0"}
    job = {"template": {"spec": {"restartPolicy": "Never", "containers": [container]}}}
    spec = job if kind == "Job" else {"schedule": "0 6 * * *", "jobTemplate": {"spec": job}}
    return {
        "apiVersion": "batch/v1",
        "kind": kind,
        "metadata": {"name": "example"},
        "spec": spec,
    }


def _family(path: Path) -> Family:
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    return Family(
        document["title"],
        document.get("about", ""),
        tuple(_rejection(entry) for entry in document["messages"]),
    )


def _rejection(entry: dict[str, Any]) -> Rejection:
    changes = {place: entry.pop(place) for place in PLACES if place in entry}
    for name in ("sources", "see"):
        entry[name] = tuple(entry.get(name, ()))
    return Rejection(changes=changes, **entry)


def changed(value: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return a Job or CronJob with changes by the keys of :data:`PLACES`."""
    for place, change in changes.items():
        steps = _steps(place, value["kind"])
        value = _at(value, steps, change)
    return {**value, "spec": _template_last(value["spec"])}


def _template_last(spec: dict[str, Any]) -> dict[str, Any]:
    """Return a spec in the order in which people write it."""
    if "jobTemplate" in spec:
        template = spec["jobTemplate"]
        inner = {**template, "spec": _template_last(template["spec"])}
        return {
            **{name: spec[name] for name in spec if name != "jobTemplate"},
            "jobTemplate": inner,
        }
    return {
        **{name: spec[name] for name in spec if name != "template"},
        "template": spec["template"],
    }


def _steps(place: str, kind: str) -> list[str | int]:
    path = PLACES[place]
    if kind == "CronJob" and place not in ("metadata", "cron"):
        path = f"spec.jobTemplate.{path}"
    return [
        int(step) if step.isdigit() else step
        for step in path.replace("[", ".").replace("]", "").split(".")
    ]


def _at(value: Any, steps: list[str | int], change: Any) -> Any:
    """Return a copy of a value with a merge patch at a place."""
    if not steps:
        return _merged(value, change)
    step, *rest = steps
    if isinstance(step, int):
        return [*value[:step], _at(value[step], rest, change), *value[step + 1 :]]
    return {**value, step: _at(value.get(step, {}), rest, change)}


def _merged(value: Any, change: Any) -> Any:
    """Return a value with a merge patch (RFC 7396), in which ``repeat`` and ``item`` make a list."""
    if not isinstance(change, dict):
        return change
    if set(change) == {"repeat", "item"}:
        return [copy.deepcopy(change["item"]) for _ in range(change["repeat"])]
    merged = dict(value) if isinstance(value, dict) else {}
    for key, part in change.items():
        if part is None:
            merged.pop(key, None)
        else:
            merged[key] = _merged(merged.get(key), part)
    return merged
