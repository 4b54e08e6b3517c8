"""Exported policies, read again as an API server reads them, find what the policies find."""

from __future__ import annotations

import re
from typing import Any

import pytest

from jobsworth.policy.admission_policies.policy_set import read as read_objects
from jobsworth.policy.export.admission_policies import documents
from jobsworth.policy.export.exported_policy import exported_policy
from jobsworth.policy.reader import read
from support.policy.everything import DOCUMENTS
from support.policy.generated_requests import balanced_requests
from support.policy.policy_requests import SERVER

_CODE = re.compile(r"\[(JP\d+)\]")
COUNT = 60


@pytest.mark.slow
@pytest.mark.parametrize("value", DOCUMENTS, ids=lambda value: value["metadata"]["name"])
def test_an_export_finds_what_its_policy_finds(value: dict[str, Any]) -> None:
    policies = read([value])
    exported = exported_policy(value, policies.policies[0], SERVER.minor)
    objects = documents(exported.admission_policies, {exported.name: exported.hash})
    native = read_objects(objects, SERVER.release)

    def expected(request: Any) -> set[tuple[str, str]]:
        findings = policies.evaluate(request, SERVER).findings
        return {(each.effect, each.violation.code) for each in findings}

    requests = balanced_requests(value, COUNT, SERVER, lambda request: bool(expected(request)))
    for request in requests:
        found = {
            (str(outcome.effect), code)
            for outcome in native.evaluate(request)
            for code in _CODE.findall(outcome.message) or [outcome.message]
        }
        assert found == expected(request), request
