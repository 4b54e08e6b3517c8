"""What is reported about objects of operators' kinds is what the API server says of them and of what is created from them."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("cryptography", reason="run pip install '.[cluster]'")

import jobsworth
from cluster import operator_crds
from cluster.available_beds import bed_or_skip
from cluster.operator_children import created_from
from cluster.programs import NEWEST, MissingProgram
from cluster.random_operator_objects import KINDS, OfKind, OperatorObjects, schemas_of
from jobsworth.api.core.created_pod import OVERHEAD, PREEMPTION, PRIORITY
from support.validation.server_comparison import UNKNOWN, Causes, normal, unlike

if TYPE_CHECKING:
    from cluster.bed import TestBed

Json = dict[str, Any]

OBJECTS = int(os.environ.get("JOBSWORTH_OPERATOR_OBJECTS", "50"))
SEED = int(os.environ.get("JOBSWORTH_OPERATOR_SEED", "0"))
DRY_RUN = "dryRun=All&fieldValidation="
REJECTS = re.compile(r"The API server rejects the \w+ that .*? creates?: ", re.DOTALL)
"""The words about what an operator creates, before those of the API server."""
BY_OPERATOR = re.compile(r"(?!The API server )[^:]+ rejects the \w+: ")
"""The words of an error by the webhook of an operator, which does not run here."""
REQUEST = re.compile(r"spec\.(containers|initContainers)\[(\d+)\]\.resources\.requests\[(.*)\]")
OF_ADMISSION = (PRIORITY, PREEMPTION, OVERHEAD)
SERVICE_ACCOUNT = {"serviceAccountName": "default"}
"""The admission plugin that the bed does without sets it."""


@pytest.fixture(scope="module")
def crds_bed() -> Iterator[TestBed]:
    """Return a bed of its own with the CRDs of all operators."""
    try:
        paths = operator_crds.find()
    except MissingProgram as missing:
        pytest.skip(str(missing))
    with bed_or_skip(NEWEST, audit=False) as bed:
        for path in paths:
            bed.kubectl("create", "--filename", str(path))
        crds = len(bed.get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")["items"])
        assert crds == len(paths)
        for of in KINDS:
            bed._wait_for(lambda of=of: of.schema in _schemas(bed, of), f"the schema of {of.kind}")
        yield bed


def _schemas(bed: TestBed, of: OfKind) -> Json:
    answer = bed.request("GET", of.openapi)
    return answer.body["components"]["schemas"] if answer.code == 200 else {}


@pytest.fixture(scope="module")
def objects(crds_bed: TestBed) -> OperatorObjects:
    return OperatorObjects(schemas_of(crds_bed.get(path) for path in {of.openapi for of in KINDS}))


def reported(manifest: Json) -> list[Any]:
    """Return the errors that ``jobsworth validate`` reports, of the API server about the object and its children."""
    found = jobsworth.validate_text(
        json.dumps(manifest), kubernetes_version=NEWEST, allow_privileged=False
    )
    return [
        located.finding
        for located in found
        if located.finding.severity == "error"
        and located.finding.source in ("api", "child")
        and not BY_OPERATOR.match(located.finding.message)
    ]


def predicted(findings: list[Any], manifest: Json) -> Causes:
    return {
        (each.field, each.reason, normal(REJECTS.sub("", each.message), manifest))
        for each in findings
    }


def compare(bed: TestBed, of: OfKind, manifest: Json, seen: Counter[str]) -> str:
    """Return the difference between the verdict and the API server; empty if there is none."""
    found = reported(manifest)
    answer = bed.request("POST", f"{of.resource.format('default')}?{DRY_RUN}Strict", manifest)
    if answer.code == 400:
        seen["not decoded"] += 1
        return _unlike_unknown(answer.body["message"], found, of)
    if answer.code == 422 and of.kind != "PodTemplate":
        # The CRD words what it rejects otherwise than the API server would of a Job or a Pod.
        seen["refused"] += 1
        if found:
            return ""
        return f"refused, nothing reported: {answer.body['message'][:900]}"
    if answer.code == 422:
        seen["refused"] += 1
        return _unlike(set(_causes(answer.body, manifest)), predicted(found, manifest))
    if answer.code != 201:
        return f"HTTP status {answer.code}: {answer.body}"
    seen["accepted"] += 1
    theirs: Causes = set()
    for creation in created_from(answer.body) if of.kind != "PodTemplate" else ():
        body = creation.body
        if body["kind"] == "Pod":
            body = {**body, "spec": {**SERVICE_ACCOUNT, **body["spec"]}}
        made = bed.request("POST", f"{creation.resource.format('default')}?{DRY_RUN}Ignore", body)
        seen[f"{body['kind']} {made.code}"] += 1
        if made.code == 201:
            continue
        if made.code == 403:  # of an admission plugin, which answers without a field
            _, _, reason = made.body["message"].partition(" is forbidden: ")
            detail = reason.removeprefix("pod rejected: ")
            admission = [each for each in found if detail in each.message]
            if not admission:
                return f"{body['kind']} forbidden: {detail}"
            found = [each for each in found if each not in admission]
            continue
        if made.code != 422:
            return f"{body['kind']}: HTTP status {made.code}: {made.body['message']}"
        for field, reason, message in _causes(made.body, body):
            theirs.add((creation.origin(_written(body, field)), reason, message))
    if theirs:  # the API server asks its admission plugins about valid Pods only
        found = [each for each in found if each.rule not in OF_ADMISSION]
    return _unlike(theirs, predicted(found, manifest))


def _unlike_unknown(message: str, found: list[Any], of: OfKind) -> str:
    """Return the difference between the unknown fields of an object's templates and those that are reported.

    The API server also names the fields of an object that stands for a value of another type.
    """
    theirs = set(UNKNOWN.findall(message))
    if not theirs:
        return "" if found else f"not decoded: {message}"
    ours = {each.field for each in found if each.reason == "UnknownField"}
    # Neither what stands in a field that is unknown itself.
    outer = [
        each.field for each in found if each.reason in ("FieldValueTypeInvalid", "UnknownField")
    ]
    below = tuple(f"{field}{step}" for field in outer for step in ".[")
    theirs, ours = (
        {field for field in fields if not field.startswith(below) and of.has(field)}
        for fields in (theirs, ours)
    )
    return "" if theirs == ours else f"unknown fields {theirs}, reported {ours}"


def _written(body: Json, field: str) -> str:
    """Return the limit that was written, for a request of a container that the API server made from it."""
    amount = REQUEST.fullmatch(field)
    if amount is None or body["kind"] != "Pod":
        return field
    container = body["spec"][amount[1]][int(amount[2])]
    if amount[3] in container["resources"].get("requests", {}):
        return field
    return field.replace(".requests[", ".limits[")


def _causes(status: Json, body: Json) -> Iterator[tuple[str, str, str]]:
    for cause in status["details"].get("causes", ()):
        yield cause.get("field", ""), cause["reason"], normal(cause["message"], body)


def _unlike(theirs: Causes, ours: Causes) -> str:
    missing, surplus = unlike(theirs, ours)
    if not missing and not surplus:
        return ""
    return f"missing {sorted(missing, key=str)[:4]}, surplus {sorted(surplus, key=str)[:4]}"


@pytest.mark.parametrize("of", KINDS, ids=lambda of: of.kind)
def test_the_verdict_is_that_of_the_api_server(
    crds_bed: TestBed, objects: OperatorObjects, of: OfKind
) -> None:
    seen: Counter[str] = Counter()
    differences = []
    for number in range(SEED, SEED + OBJECTS):
        manifest = objects.made(of, number)
        difference = compare(crds_bed, of, manifest, seen)
        if difference:
            differences.append(f"{number}: {difference}")
    print(of.kind, dict(sorted(seen.items())), len(differences))
    assert not differences, "\n".join(differences)
    assert seen["accepted"] >= OBJECTS / 6
    assert seen["refused"] + seen["not decoded"] > 0
