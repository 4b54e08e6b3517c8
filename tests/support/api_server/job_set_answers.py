"""The answers of an API server with JobSet's CRD and webhooks, and how the verdict compares with them."""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from jobsworth.api.api_server import ApiServer
from jobsworth.findings.finding import Finding
from jobsworth.kinds.job_set_children import SAMPLE_UID, children
from jobsworth.validation.engine import Engine, engine_for
from jobsworth.validation.job_sets import JobSetVerdict, verdict
from support.api_server.recorded_answers import DATA
from support.validation.server_comparison import (
    GENERATED_LABELS,
    UNKNOWN,
    causes_of,
    first_difference,
    normal,
    unlike,
    without_generated,
)

RECORDED = DATA / "job-sets.jsonl.xz"

NO_FIELD = "<nil>"
"""The field of a cause that has none."""
DECODED = ("FieldValueTypeInvalid", "UnknownField")


class Answered(NamedTuple):
    """An answer about a JobSet, as far as the verdict has to be the same.

    Attributes:
        code: the HTTP status: 200 or 201 accepted, 422 invalid, 400 not decoded; 0 if it is about something other
            than the object.
        causes: of a 422, each as [field, reason, message].
        unknown: of a 400, the unknown fields; None if a known one could not be decoded.
        spec: of an accepted object.
    """

    code: int
    causes: list[list[str]] | None = None
    unknown: list[str] | None = None
    spec: dict[str, Any] | None = None


def answered(code: int, body: Any, manifest: dict[str, Any]) -> Answered:
    """Reduce an answer of a server to what can be compared."""
    if code in (200, 201):
        return Answered(code, spec=body.get("spec", {}))
    if code == 422:
        causes = sorted(
            [
                cause.get("field", "").replace(NO_FIELD, ""),
                cause["reason"],
                normal(cause["message"], manifest),
            ]
            for cause in body["details"].get("causes", ())
        )
        return Answered(code, causes=causes)
    if code == 400 and not body["message"].startswith("the name"):
        strict = "strict decoding error" in body["message"]
        return Answered(
            code, unknown=sorted(set(UNKNOWN.findall(body["message"]))) if strict else None
        )
    return Answered(0)


def difference(
    manifest: dict[str, Any],
    answer: Answered,
    old: dict[str, Any] | None = None,
    server: Any = None,
) -> str:
    """Return the difference between the verdict and an answer in words; empty if there is none."""
    if answer.code == 0:
        return ""
    ours = verdict(manifest, old, server=server)
    causes = causes_of(ours.findings, manifest)
    if answer.code in (200, 201):
        if causes:
            return f"accepted, verdict: {sorted(causes, key=str)[:3]}"
        return first_difference(answer.spec, (ours.defaulted or {}).get("spec", {}), "spec")
    if answer.code == 400:
        return _unlike_decoding(answer, ours, manifest)
    theirs = {(field, reason, message) for field, reason, message in answer.causes or ()}
    missing, surplus = unlike(theirs, causes)
    if not missing and not surplus:
        return ""
    return f"missing {sorted(missing, key=str)[:3]}, surplus {sorted(surplus, key=str)[:3]}"


def _unlike_decoding(answer: Answered, ours: JobSetVerdict, manifest: dict[str, Any]) -> str:
    found = [each for each in ours.findings if each.reason in DECODED]
    if not found:
        return f"not decoded, verdict: {sorted(causes_of(ours.findings, manifest), key=str)[:3]}"
    unknown = sorted({each.field for each in found if each.reason == "UnknownField"})
    if answer.unknown is None or answer.unknown == unknown:
        return ""
    return f"unknown fields {answer.unknown}, verdict: {unknown}"


class JobSetCase(NamedTuple):
    """A JobSet that is put to a server, and the answer.

    Attributes:
        id: the name of the case.
        object: the JobSet that the client sends.
        answer: of the server.
        old: of an update: the stored JobSet.
        created: of an accepted create: the ``namespace``, its ``jobs`` by name (spec, labels and annotations) and the
            messages of the API server about those that it ``refused``, by name; by an empty name about other objects.
    """

    id: str
    object: dict[str, Any]
    answer: Answered
    old: dict[str, Any] | None = None
    created: dict[str, Any] | None = None


def child_difference(
    manifest: dict[str, Any],
    created: dict[str, Any],
    release: str = "1.36",
    *,
    privileged: bool = False,
) -> tuple[str, int]:
    """Compare the predicted Jobs with those that were created, or refused.

    Args:
        manifest: the JobSet.
        created: what its controller made of it: see :class:`JobSetCase`.
        release: of the API server.
        privileged: the server allows privileged containers; the test bed does not.

    Returns:
        the difference in words, empty if there is none; the number of ReplicatedJobs that were compared.
    """
    defaulted = verdict(manifest).defaulted
    assert defaulted is not None
    defaulted["metadata"] = {**defaulted["metadata"], "namespace": created["namespace"]}
    name = defaulted["metadata"].get("name")
    if name is None or _is_left_alone(defaulted["spec"]):
        return ("" if name is None or not created["jobs"] else "a Job of another controller", 0)
    if "" in created["refused"]:
        return "", 0  # the Service or a claim, without which no Job is created
    compared = 0
    engine = engine_for(ApiServer(release, allow_privileged=privileged))
    jobs = {
        job["name"]: job for job in defaulted["spec"].get("replicatedJobs", ()) if "name" in job
    }
    for child in children(defaulted):
        meta = child.value["metadata"]
        replicated = jobs[meta["labels"]["jobset.sigs.k8s.io/replicatedjob-name"]]
        if replicated.get("dependsOn"):
            continue  # nothing runs here, so no dependency is ever met
        errors = [each for each in engine.validate(child.value) if each.severity == "error"]
        found = created["jobs"].get(meta["name"])
        compared += 1
        if errors:
            message = created["refused"].get(meta["name"])
            if found is not None or message is None:
                return f"{meta['name']} was created, predicted: {errors}", compared
            return _unlike_refusal(
                message, errors
            ), compared  # the controller stops at the first that is refused
        if found is None:
            return f"{meta['name']} is missing: {created['refused']}", compared
        problem = _unlike_job(engine, child.value, found)
        if problem:
            return f"{meta['name']}: {problem}", compared
        if _is_in_order(defaulted["spec"]):
            break  # the next is created when the Pods of this one are ready
    return "", compared


def _is_left_alone(spec: dict[str, Any]) -> bool:
    return spec.get("managedBy", JOB_SET_CONTROLLER) != JOB_SET_CONTROLLER


JOB_SET_CONTROLLER = "jobset.sigs.k8s.io/jobset-controller"


def _is_in_order(spec: dict[str, Any]) -> bool:
    return spec["startupPolicy"]["startupPolicyOrder"] == "InOrder" and not spec.get("suspend")


OBJECT_VALUE = re.compile(r"(.*?: [A-Z][a-z]+ value: )(?:[\[{].*[\]}]|null): (.*)", re.DOTALL)
"""An error whose bad value is an object or a list, which the server prints in another order."""


def _unlike_refusal(message: str, errors: list[Finding]) -> str:
    """Return the difference between the message about a refused Job and the predicted errors.

    The server joins its errors in one message, each once: this takes each predicted one away, and nothing may be left.
    """
    _, _, listed = message.partition(" is invalid: ")
    left, missing = listed, []
    for text in sorted({f"{each.field}: {each.message}" for each in errors}, key=len, reverse=True):
        pattern, value = re.escape(text), OBJECT_VALUE.match(text)
        if value:
            pattern = f"{re.escape(value[1])}(?:[\\[{{].*?[\\]}}]|null): {re.escape(value[2])}"
        left, found = re.subn(pattern, "", left, count=1, flags=re.DOTALL)
        if not found:
            missing.append(text)
    left = left.strip("[], ")
    return f"predicted {missing}, left {left!r} of {listed}" if missing or left else ""


def _unlike_job(engine: Engine, value: dict[str, Any], found: dict[str, Any]) -> str:
    text = json.dumps(value).replace(SAMPLE_UID, "<uid>")
    job = json.loads(text)
    expected = without_generated(engine.default(job)["spec"])
    return (
        first_difference(found["spec"], expected, "spec")
        or first_difference(found["labels"], _with_generated(job, "labels", found), "labels")
        or first_difference(found["annotations"], job["metadata"]["annotations"], "annotations")
    )


def _with_generated(job: dict[str, Any], part: str, found: dict[str, Any]) -> dict[str, Any]:
    own = dict(job["metadata"][part])
    return {**own, **{key: found[part][key] for key in GENERATED_LABELS if key in found[part]}}


def write_job_set_cases(cases: Iterable[JobSetCase]) -> None:
    """Write cases with their answers to ``tests/recorded/data``; a stored JobSet once."""
    with lzma.open(RECORDED, "wt", encoding="utf-8", preset=9) as file:
        stored: dict[str, dict[str, Any]] = {}
        for case in cases:
            line = {**case._asdict(), "answer": _present(case.answer._asdict())}
            if case.old is not None:
                name = case.old["metadata"]["name"]
                line["old"] = name
                if name not in stored:
                    stored[name] = case.old
                    file.write(_json({"stored": case.old}))
            file.write(_json(_present(line)))


def read_job_set_cases() -> list[JobSetCase]:
    """Return the recorded cases."""
    cases = []
    stored: dict[str, dict[str, Any]] = {}
    with lzma.open(RECORDED, "rt", encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            if "stored" in line:
                stored[line["stored"]["metadata"]["name"]] = line["stored"]
                continue
            if "old" in line:
                line["old"] = stored[line["old"]]
            cases.append(JobSetCase(**{**line, "answer": Answered(**line["answer"])}))
    return cases


def _present(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
