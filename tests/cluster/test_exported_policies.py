"""Exported policies find what the webhook finds: in kube-apiserver's own admission plugin, without a server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cluster.exported_policies import comparison
from cluster.native_policies import RELEASES, refusals
from cluster.programs import MissingProgram, find
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.files.policies.policy_cases import read_cases
from jobsworth.files.policies.policy_files import load_policies, load_with_documents
from jobsworth.policy.export.exported_policy import LEVELS
from support.policy.everything import DOCUMENTS
from support.policy.generated_requests import balanced_requests

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "webhook" / "jobsworth" / "policy"
FILES = [
    path
    for folder in (ROOT / "policies", SHIPPED / "profiles", SHIPPED / "starter")
    for path in sorted(folder.glob("*.yaml"))
    if not path.name.endswith("_test.yaml")
]
POLICIES: list[Any] = [
    document.value for path in FILES for document in load_with_documents([str(path)])[1].values()
]
MANY = 2000


def _name(value: Any) -> str:
    return str(value["metadata"]["name"]) if isinstance(value, dict) else str(value)


@pytest.fixture(autouse=True)
def _program() -> None:
    try:
        find("admission-policies")
    except MissingProgram as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("minor", LEVELS)
@pytest.mark.parametrize("value", [*POLICIES, *DOCUMENTS], ids=_name)
def test_each_release_accepts_the_export_for_it(value: dict[str, Any], minor: int) -> None:
    objects = comparison(value, f"1.{minor}").objects
    policies = [each for each in objects if each["kind"] == "ValidatingAdmissionPolicy"]
    found = refusals(policies, [release for release in RELEASES if int(release[2:]) >= minor])
    assert [each for of_policy in found for each in of_policy] == []


@pytest.mark.parametrize("count", [150, pytest.param(MANY, marks=pytest.mark.slow)])
@pytest.mark.parametrize("value", POLICIES, ids=_name)
def test_generated_requests_under_a_shipped_policy(value: dict[str, Any], count: int) -> None:
    compared = comparison(value, "1.36")
    requests = balanced_requests(value, count, compared.server, compared.violates)
    share = sum(map(compared.violates, requests)) / count
    assert 0.2 <= share <= 0.9
    found = compared.answers(requests)
    assert found == [compared.bounds(request)[1] for request in requests]
    if not any(part.is_left and part.is_exported for part in compared.exported.parts):
        assert found == [compared.bounds(request)[0] for request in requests]


@pytest.mark.parametrize("minor", LEVELS)
@pytest.mark.parametrize("value", DOCUMENTS, ids=_name)
def test_generated_requests_under_a_policy_with_everything(
    value: dict[str, Any], minor: int
) -> None:
    compared = comparison(value, f"1.{minor}")
    requests = balanced_requests(value, 200, compared.server, compared.violates, seed=minor)
    for request, found in zip(requests, compared.answers(requests), strict=True):
        least, most = compared.bounds(request)
        assert least <= found <= most, request


def _sent(value: dict[str, Any]) -> dict[str, Any]:
    """The object with the record of fields that every API server adds."""
    entry = {"manager": "kubectl-create", "operation": "Update", "fieldsV1": {}}
    return {**value, "metadata": {**value["metadata"], "managedFields": [entry]}}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_test_cases_of_a_policy(path: Path) -> None:
    by_name = {document["metadata"]["name"]: document for document in POLICIES}
    policies = load_policies([str(path)])
    compared = {
        policy.name: comparison(by_name[policy.name], "1.36") for policy in policies.policies
    }
    (file,) = read_cases(str(path.with_name(f"{path.stem}_test.yaml")), [])
    server = next(iter(compared.values())).server
    evaluator = Evaluator(server, policies=policies)
    requests = []
    for case in file.cases:
        given = case.request
        subject = Subject(
            case.manifest,
            old=case.old,
            namespace=given.namespace or "",
            user=given.user or "alice",
            groups=tuple(given.groups or ()),
            namespace_labels=given.namespace_labels or {},
        )
        result = evaluator.apply(evaluator.policy_request(subject))
        request = replace(result.request, manifest=None)
        if given.namespace:
            request = replace(request, namespace=given.namespace)
        assert result.mutation is not None
        requests.append(
            replace(
                request,
                object=_sent(result.mutation.object),
                old=request.old and _sent(request.old),
            )
        )
    for each in compared.values():
        for request in requests:
            # One request a run: the program keeps the labels of a namespace for all of them.
            (found,) = each.answers([request])
            assert found == each.bounds(request)[1]
