"""Published ValidatingAdmissionPolicies: our reading beside what kube-apiserver's admission plugin answered."""

from __future__ import annotations

import json
import lzma
from dataclasses import replace

import pytest

from jobsworth.policy.admission_policies.policy_set import AdmissionPolicySet, read
from jobsworth.policy.request import PolicyRequest
from support.policy.published_policies import ANSWERS, published_objects, requests


def answers() -> dict[str, list[list[str]]]:
    with lzma.open(ANSWERS, "rt", encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return {each["name"]: each["failed"] for each in found}


RECORDED = answers()


@pytest.fixture(scope="module")
def policies() -> AdmissionPolicySet:
    return read(published_objects(), "1.37", complete=True)


@pytest.fixture(scope="module")
def asked() -> list[PolicyRequest]:
    return requests()


def test_there_are_30_policies_and_200_requests(asked: list[PolicyRequest]) -> None:
    assert len(RECORDED) >= 30
    assert len(asked) == 200
    assert {len(failed) for failed in RECORDED.values()} == {200}
    assert sum(any(failed) for failed in RECORDED.values()) >= 30


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDED)
def test_each_request_fails_the_same_validations(
    name: str, policies: AdmissionPolicySet, asked: list[PolicyRequest]
) -> None:
    bindings = tuple(each for each in policies.bindings if each.policy == name)
    alone = replace(policies, bindings=bindings)
    found = [[outcome.message for outcome in alone.evaluate(request)] for request in asked]
    assert found == RECORDED[name]


@pytest.mark.slow
def test_one_request_in_ten_fails_the_same_validations(
    policies: AdmissionPolicySet, asked: list[PolicyRequest]
) -> None:
    for number in range(0, len(asked), 10):
        found: dict[str, list[str]] = {name: [] for name in RECORDED}
        for outcome in policies.evaluate(asked[number]):
            found[outcome.policy].append(outcome.message)
        assert found == {name: failed[number] for name, failed in RECORDED.items()}
