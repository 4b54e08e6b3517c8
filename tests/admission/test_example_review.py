"""The review that `jobsworth serve --self-signed` writes is valid, and one that the loaded policies decide about."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jobsworth.admission.decision import Reviewer
from jobsworth.admission.example_review import example_review
from jobsworth.admission.review import read_review
from jobsworth.api.api_server import ApiServer
from jobsworth.files.policies.policy_files import load_policies
from jobsworth.files.policies.profiles import Profile
from jobsworth.policy.policy_set import PolicySet
from support.policy.policy_requests import policies

SERVER = ApiServer()


def answer(held: PolicySet) -> tuple[dict[str, Any], bool, list[str]]:
    """Return the request of the example, and if the webhook allows it, with the codes."""
    review = example_review(held, SERVER)
    answered = Reviewer(SERVER, held).validate(read_review(json.dumps(review).encode()))
    return review["request"], answered.response.allowed, list(answered.codes)


def test_without_policies_it_is_allowed() -> None:
    _, allowed, codes = answer(policies())
    assert allowed
    assert codes == []


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        ({"namespaces": ["ml-*"]}, {"namespace": "ml-example"}),
        ({"names": ["train-[ab]?"]}, {"name": "train-ax"}),
        ({"kinds": ["CronJob"]}, {"kind": {"group": "batch", "version": "v1", "kind": "CronJob"}}),
        ({"users": ["ci"]}, {"userInfo": {"username": "ci", "groups": ["system:authenticated"]}}),
        (
            {"groups": ["ops"]},
            {"userInfo": {"username": "developer", "groups": ["ops", "system:authenticated"]}},
        ),
        ({"objectSelector": {"matchLabels": {"a": "b"}}}, {}),
        (
            {"objectSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}},
            {},
        ),
        ({"objectSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}}, {}),
        ({"owners": ["JobSet"]}, {}),
    ],
)  # fmt: skip
def test_a_policy_that_denies_some_requests_denies_the_example(
    match: dict[str, Any], expected: dict[str, Any]
) -> None:
    request, allowed, codes = answer(
        policies(match=[match], limits={"backoffLimit": {"maximum": 3}})
    )
    assert not allowed
    assert codes == ["JP002"]
    assert {name: request[name] for name in expected} == expected


def test_what_denies_comes_before_what_warns() -> None:
    held = policies(
        *(
            {
                "apiVersion": "jobsworth.dev/v1alpha1",
                "kind": "JobPolicy",
                "metadata": {"name": name},
                "spec": {
                    "enforcement": enforcement,
                    "match": [{"namespaces": [name]}],
                    "limits": {"parallelism": {"maximum": 3}},
                },
            }
            for name, enforcement in (("a", "warn"), ("b", "deny"))
        )
    )
    request, allowed, _ = answer(held)
    assert (request["namespace"], allowed) == ("b", False)


def test_a_policy_that_requires_something_denies_a_job_without_it() -> None:
    _, allowed, codes = answer(policies(limits={"activeDeadlineSeconds": {"required": True}}))
    assert (allowed, codes) == (False, ["JP004"])


@pytest.mark.parametrize("name", ["baseline", "strict"])
def test_a_profile_decides_about_it(name: Any) -> None:
    _, allowed, codes = answer(load_policies((), Profile(name, "deny")))
    assert not allowed
    assert codes
