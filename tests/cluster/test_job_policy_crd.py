"""Real API servers accept the CustomResourceDefinition of JobPolicy, store our policies, and refuse what our schema refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

import jobsworth.policy
from cluster.available_beds import bed_or_skip
from cluster.native_policies import definition_errors
from cluster.programs import NEWEST, OLDER, MissingProgram
from jobsworth.documents.schema_errors import problems
from jobsworth.policy.document import PATTERNS, schema
from support.evaluation.mistakes import mistakes_in
from support.policy.policy_requests import document
from support.policy.policy_with_everything import DEFAULTING, LIMITING

if TYPE_CHECKING:
    from cluster.bed import TestBed

ROOT = Path(__file__).parents[2]
SHIPPED = Path(jobsworth.policy.__file__).parent
CRD = yaml.safe_load((ROOT / "schemas" / "jobpolicy-crd.yaml").read_text())
PATH = "/apis/jobsworth.dev/v1alpha1/jobpolicies"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
FOLDERS = (
    ROOT / "policies",
    SHIPPED / "profiles",
    SHIPPED / "starter",
    ROOT / "docs/examples/migration",
)


@pytest.fixture(scope="module", params=[NEWEST, OLDER], ids=["newest", "older"])
def server(request: pytest.FixtureRequest) -> Iterator[TestBed]:
    """An API server with the CustomResourceDefinition."""
    with bed_or_skip(request.param, audit=False) as bed:
        answer = bed.request("POST", CRDS, CRD)
        assert (answer.code, answer.warnings) == (201, ()), answer
        bed._wait_for(lambda: bed.request("GET", PATH).code == 200, "the resource")
        bed._wait_for(lambda: conditions(bed).get("Established") == "True", "its condition")
        yield bed


def conditions(server: TestBed) -> dict[str, str]:
    """Return the conditions of the CustomResourceDefinition: their status by type."""
    stored = server.get(f"{CRDS}/{CRD['metadata']['name']}")
    return {each["type"]: each["status"] for each in stored["status"].get("conditions", ())}


def policies_of(folder: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.glob("*.yaml")):
        for found in yaml.safe_load_all(file.read_text()):
            if found["kind"] == "JobPolicy":
                yield found


def causes(server: TestBed, policy: Any) -> list[str]:
    """Return the reasons for which the server refuses a policy; none if it accepts it."""
    answer = server.request("POST", f"{PATH}?dryRun=All&fieldValidation=Strict", policy)
    if answer.code == 201:
        return []
    details = (answer.body.get("details") or {}).get("causes") or [answer.body]
    return [f"{cause.get('field', '')}: {cause['message']}" for cause in details]


def refused(policy: Any) -> bool:
    """Return True if our schema refuses a policy."""
    return any(True for _ in problems(policy, schema(), PATTERNS))


def test_the_code_of_the_api_server_has_no_error_for_a_new_definition() -> None:
    try:
        errors = definition_errors(CRD)
    except MissingProgram as missing:
        pytest.skip(str(missing))
    assert errors == []


def test_the_definition_is_established_with_its_names(server: TestBed) -> None:
    found = conditions(server)
    assert found["Established"] == found["NamesAccepted"] == "True"
    assert "NonStructuralSchema" not in found
    stored = server.get(f"{CRDS}/{CRD['metadata']['name']}")
    assert "jp" in stored["status"]["acceptedNames"]["shortNames"]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.name))
def test_it_stores_every_policy_as_it_is_written(server: TestBed, folder: Path) -> None:
    found = list(policies_of(folder))
    assert found
    for policy in found:
        answer = server.request("POST", f"{PATH}?fieldValidation=Strict", policy)
        assert (answer.code, answer.warnings) == (201, ()), answer
        assert answer.body["spec"] == policy["spec"]
        server.request("DELETE", f"{PATH}/{policy['metadata']['name']}")


MALFORMED: dict[str, tuple[dict[str, Any], str]] = {
    "one matcher without a list": ({"match": {"kinds": ["Job"]}}, "spec.match"),
    "an empty matcher": ({"match": [{}]}, "spec.match[0]: "),
    "33 matchers": ({"match": [{"names": [str(n)]} for n in range(33)]}, "spec.match: "),
    "an unknown kind": ({"match": [{"kinds": ["Pod"]}]}, "spec.match[0].kinds[0]: "),
    "a namespace listed twice": ({"exempt": [{"namespaces": ["a", "a"]}]}, "spec.exempt[0].namespaces[1]: "),
    "the value of a default alone": ({"defaults": {"backoffLimit": 3}}, "spec.defaults.backoffLimit: "),
    "the value of a label alone": ({"defaults": {"labels": {"team": "web"}}}, "spec.defaults.labels.team: "),
    "a default without value": ({"defaults": {"suspend": {"when": "always"}}}, "spec.defaults.suspend.value: "),
    "a negative default": ({"defaults": {"backoffLimit": {"value": -1}}}, "spec.defaults.backoffLimit.value: "),
    "a share above 100%": ({"defaults": {"maxFailedIndexes": {"value": "101%"}}}, "spec.defaults.maxFailedIndexes.value: "),
    "an immutable field without a key": ({"immutable": ["suspend"]}, "spec.immutable[0]: "),
    "an unknown immutable field": ({"immutable": [{"field": "x"}]}, "spec.immutable[0].field: "),
    "a fraction as maximum": (
        {"limits": {"resources": {"requests": {"cpu": {"maximum": 0.5}}}}},
        "spec.limits.resources.requests.cpu.maximum: ",
    ),
    "a misspelled field": ({"limits": {"backofLimit": {"maximum": 3}}}, 'unknown field "spec.limits.backofLimit"'),
    "an effect of a rule": ({"rules": {"JW101": "error"}}, "spec.rules.JW101: "),
    "an empty message": ({"message": ""}, "spec.message: "),
    "an expression without text": ({"expressions": [{"message": "x"}]}, "spec.expressions[0].expression: "),
    "an empty spec": ({}, "spec: "),
}  # fmt: skip
ONLY_THERE: dict[str, tuple[dict[str, Any], str]] = {
    "two keys of an immutable entry": (
        {"immutable": [{"field": "suspend", "label": "a"}]}, "exactly one of field, label and annotation must be set",
    ),
    "no key of an immutable entry": (
        {"immutable": [{"message": "x"}]}, "exactly one of field, label and annotation must be set",
    ),
    "a minimum above the maximum": (
        {"limits": {"backoffLimit": {"minimum": 2, "maximum": 1}}}, "minimum must not be greater than maximum",
    ),
    "a minimum of indexes above the maximum": (
        {"limits": {"maxFailedIndexes": {"minimum": 2, "maximum": 1}}}, "minimum must not be greater than maximum",
    ),
    "more rules than the maximum": (
        {"limits": {"podFailurePolicy": {"minimumRules": 2, "maximumRules": 1}}},
        "minimumRules must not be greater than maximumRules",
    ),
}  # fmt: skip
"""What the JSON Schema leaves to the reader, and the CustomResourceDefinition states in CEL."""


@pytest.mark.parametrize(("spec", "reason"), MALFORMED.values(), ids=MALFORMED)
def test_it_refuses_the_shapes_that_our_schema_refuses(
    server: TestBed, spec: dict[str, Any], reason: str
) -> None:
    policy = document(**spec)
    assert refused(policy)
    assert any(reason in cause for cause in causes(server, policy)), causes(server, policy)


@pytest.mark.parametrize(("spec", "reason"), ONLY_THERE.values(), ids=ONLY_THERE)
def test_it_refuses_in_cel_what_our_reader_refuses(
    server: TestBed, spec: dict[str, Any], reason: str
) -> None:
    policy = document(**spec)
    assert not refused(policy)
    found = causes(server, policy)
    assert any(reason in cause for cause in found), found


def test_shares_have_an_order_for_the_reader_only(server: TestBed) -> None:
    mixed = {"maxFailedIndexes": {"minimum": "20%", "maximum": 1}}
    assert causes(server, document(limits=mixed)) == []


LENIENT = re.compile(r": (None|-?\d+\.0)$")
"""Mistakes that an API server of Kubernetes repairs before it validates: it drops null, and reads 1.0 as 1."""
IN_CEL = "exactly one of field, label and annotation must be set"
"""The rule that the JSON Schema leaves to the reader."""


@pytest.mark.parametrize("policy", [LIMITING, DEFAULTING], ids=["limits", "defaults"])
def test_of_a_policy_with_everything_it_refuses_each_mistake_that_our_schema_refuses(
    server: TestBed, policy: dict[str, Any]
) -> None:
    assert causes(server, policy) == []
    different = []
    both = neither = 0
    for mistake, changed in mistakes_in(policy):
        in_spec = {**changed, "spec": None} == {**policy, "spec": None}
        if not in_spec or LENIENT.search(mistake):
            continue
        found = [cause for cause in causes(server, changed) if IN_CEL not in cause]
        both += bool(found) and refused(changed)
        neither += not found and not refused(changed)
        if bool(found) != refused(changed):
            different.append((mistake, found))
    print(f"{policy['metadata']['name']}: both refuse {both}, neither {neither}")
    assert not different, "\n".join(f"{a}: {b}" for a, b in different)
    assert both > 100
    assert neither > 20
