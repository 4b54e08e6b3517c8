"""The recorded answers of API servers of several releases: see tests/recorded/README.md."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Self

from jobsworth.api.api_server import ApiServer
from jobsworth.findings.finding import Finding
from jobsworth.validation.engine import Engine
from jobsworth.validation.verdict_findings import MAX_CUT_WARNING, MAX_WARNINGS
from support.validation.server_comparison import (
    UNKNOWN,
    causes_of,
    first_difference,
    normal,
    unlike,
    without_generated,
    without_go_value,
)

DATA = Path(__file__).parents[2] / "recorded/data"
DECODED = ("FieldValueTypeInvalid", "UnknownField")
ABOUT_THE_URL = ("the name of the object", "the namespace of the provided object")


class Answered(NamedTuple):
    """An answer of an API server, as far as the engine has to give the same.

    Attributes:
        code: the HTTP status: 200 or 201 accepted, 422 invalid, 400 not decoded; 0 if it is about something other
            than the object.
        causes: of a 422, each as [field, reason, message].
        unknown: the unknown fields of a 400; None if the server could not decode a known one.
        spec: of an accepted object, with the server's defaults, without what it generates.
        warnings: of an accepted object; None if there are none, or if they were not recorded.
    """

    code: int
    causes: list[list[str]] | None = None
    unknown: list[str] | None = None
    spec: dict[str, Any] | None = None
    warnings: list[str] | None = None

    @property
    def is_about_the_object(self) -> bool:
        """False where the server answered about the URL, or panicked over the object."""
        return self.code in (200, 201, 400, 422)


class Section(NamedTuple):
    """The answers of a server with some gates changed.

    Attributes:
        gates: that are not as the release has them: the one that was changed, and those that it needs.
        answers: by the id of the case; of changed gates only those that differ from the default's.
    """

    gates: dict[str, bool]
    answers: dict[str, Answered]

    @property
    def changed(self) -> str:
        """The gate that was changed, whose cases were put to the server; empty for the default's."""
        return next(iter(self.gates), "")


class Recording(NamedTuple):
    """What servers of one release answered.

    Attributes:
        version: of the server, such as ``1.33.13``.
        date: of the recording.
        stored: the stored objects by id, as this release reads them.
        sections: the first is that of the default gates.
        has_warnings: the warnings of the default server were recorded.
    """

    version: str
    date: str
    stored: dict[str, dict[str, Any]]
    sections: list[Section]
    has_warnings: bool = False

    @classmethod
    def read(cls, release: str) -> Self:
        """Read the recording of a release."""
        lines = _lines(release)
        head = next(lines)
        stored, sections = {}, []
        for line in lines:
            if "stored" in line:
                stored[line["id"]] = line["stored"]
            elif "gates" in line:
                sections.append(Section(line["gates"], {}))
            else:
                name = line.pop("id")
                sections[-1].answers[name] = Answered(**line)
        return cls(head["version"], head["date"], stored, sections, head.get("warnings", False))


class Cases(NamedTuple):
    """The cases that are put to every release.

    Attributes:
        stored: the objects to update, by id.
        requests: the creates, and the updates, which name the stored object in ``of``.
    """

    stored: dict[str, dict[str, Any]]
    requests: list[dict[str, Any]]

    @classmethod
    def read(cls) -> Self:
        """Read the recorded cases."""
        stored, requests = {}, []
        for line in _lines("cases"):
            if "stored" in line:
                stored[line["id"]] = line["stored"]
            else:
                requests.append(line)
        return cls(stored, requests)

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield what :func:`write_cases` takes."""
        for name, each in self.stored.items():
            yield {"id": name, "stored": each}
        yield from self.requests


def recorded_releases() -> list[str]:
    """Return the releases that have a recording, the oldest first."""
    return sorted(path.name.split(".jsonl")[0] for path in DATA.glob("1.*.jsonl.xz"))


def recorded_gates(release: str) -> tuple[str, list[Section]]:
    """Return the version of a recorded release, and its sections, without the answers."""
    with lzma.open(DATA / f"{release}.jsonl.xz", "rt", encoding="utf-8") as lines:
        head = json.loads(next(lines))
        gates = [json.loads(line)["gates"] for line in lines if line.startswith('{"gates":')]
    return head["version"], [Section(each, {}) for each in gates]


def answered(
    code: int, body: Any, manifest: dict[str, Any], warnings: Iterable[str] = ()
) -> Answered:
    """Reduce an answer of a server to what can be compared."""
    if code in (200, 201):
        return Answered(
            code, spec=without_generated(body.get("spec")), warnings=[*warnings] or None
        )
    if code == 422:
        causes = sorted(
            [
                cause.get("field", ""),
                cause["reason"],
                without_go_value(normal(cause["message"], manifest)),
            ]
            for cause in body["details"].get("causes", ())
        )
        return Answered(code, causes=causes)
    if code == 400 and not body["message"].startswith(ABOUT_THE_URL):
        strict = "strict decoding error" in body["message"]
        return Answered(
            code, unknown=sorted(set(UNKNOWN.findall(body["message"]))) if strict else None
        )
    return Answered(0)


def difference(
    engine: Engine, manifest: dict[str, Any], answer: Answered, old: dict[str, Any] | None = None
) -> str:
    """Return the difference between the engine and a server's answer in words; empty if there is none."""
    ours = causes_of(engine.validate(manifest, old), manifest)
    if answer.code in (200, 201):
        if ours:
            return f"accepted, engine: {sorted(ours, key=str)[:3]}"
        return first_difference(
            answer.spec, without_generated(engine.default(manifest, old)["spec"]), "spec"
        )
    if answer.code == 400:
        if not any(reason in DECODED for _, reason, _ in ours):
            return f"not decoded, engine: {sorted(ours, key=str)[:3]}"
        known_to_us = {field for field, reason, _ in ours if reason == "UnknownField"}
        if answer.unknown is None or set(answer.unknown) == known_to_us:
            return ""
        return f"unknown fields {answer.unknown}, engine: {known_to_us}"
    theirs = {(field, reason, message) for field, reason, message in answer.causes or ()}
    missing, surplus = unlike(theirs, ours)
    if not missing and not surplus:
        return ""
    return f"missing {sorted(missing, key=str)[:3]}, surplus {sorted(surplus, key=str)[:3]}"


def unlike_warnings(
    engine: Engine,
    manifest: dict[str, Any],
    warnings: Iterable[str],
    old: dict[str, Any] | None = None,
) -> str:
    """Return the difference between the warnings of the engine and of a server; empty if there is none.

    Their order is not compared: the server visits maps in a random one. It cuts the texts of many.
    """
    findings = [each for each in engine.validate(manifest, old) if each.reason == "ServerWarning"]
    ours = {_sent(each) for each in findings}
    if sum(map(len, ours)) > MAX_WARNINGS:
        ours = {text[:MAX_CUT_WARNING] for text in ours}
    theirs = set(warnings)
    if theirs == ours:
        return ""
    return f"missing {sorted(theirs - ours)[:3]}, surplus {sorted(ours - theirs)[:3]}"


def _sent(finding: Finding) -> str:
    """Return the text that the server sends: most, but not all, begin with the field path."""
    without_field = (".metadata.ownerReferences", "CRON_TZ ", "cannot use TZ", 'volume "')
    if finding.message.startswith(without_field):
        return finding.message
    return f"{finding.field}: {finding.message}"


def differs_by_patch(version: str, old: dict[str, Any] | None) -> bool:
    """Return True for an update that a later patch of the release answers otherwise, as the engine does.

    Until 1.36.1 the template of a suspended Job could change only once its status had the condition
    Suspended; 1.36.2 (recorded in tests/oracle) allows it before the controller has seen the Job.
    """
    if version not in ("1.36.0", "1.36.1") or old is None or old["kind"] != "Job":
        return False
    status = old.get("status", {})
    return old["spec"]["suspend"] and "startTime" not in status and not status.get("conditions")


def keeps_users(server: ApiServer, answer: Answered) -> bool:
    """Return True if the server reports users of files, whose field it drops elsewhere.

    Where a volume, or a source of a projected one, has several kinds at once, which is an error, Kubernetes 1.37 drops
    the users of one kind only while the gate is off, and reports those of the others that are out of range.
    """
    off = server.minor >= 37 and not server.enabled("AtomicWriteVolumeUserFields")
    return off and any(
        field.endswith((".user", ".defaultUser")) for field, _, _ in answer.causes or ()
    )


def write_cases(cases: Iterable[dict[str, Any]]) -> None:
    """Write the cases."""
    _write("cases", cases)


def write_recording(release: str, recording: Recording) -> None:
    """Write the recording of a release."""

    def lines() -> Iterator[dict[str, Any]]:
        head = {"version": recording.version, "date": recording.date}
        yield {**head, "warnings": True} if recording.has_warnings else head
        for name, stored in recording.stored.items():
            yield {"id": name, "stored": stored}
        for section in recording.sections:
            yield {"gates": section.gates}
            for name, answer in section.answers.items():
                parts = answer._asdict().items()
                yield {"id": name, **{key: part for key, part in parts if part is not None}}

    _write(release, lines())


def _lines(name: str) -> Iterator[dict[str, Any]]:
    with lzma.open(DATA / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _write(name: str, lines: Iterable[dict[str, Any]]) -> None:
    DATA.mkdir(parents=True, exist_ok=True)
    with lzma.open(DATA / f"{name}.jsonl.xz", "wt", encoding="utf-8", preset=9) as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
