"""Our reading of ValidatingAdmissionPolicies beside kube-apiserver's own plugin, feature by feature."""

from __future__ import annotations

import pytest

from cluster.admission_policy_recording import as_sent
from cluster.native_policies import reviews
from cluster.programs import MissingProgram, find
from jobsworth.policy.admission_policies.policy_set import read
from support.policy.admission_policy_cases import CASES

pytestmark = pytest.mark.cluster

NOT_COMPILED = "compilation error: "
"""The server shows the lines of the expression behind the problem, and all problems; we show the first."""


def shown(message: str) -> str:
    return NOT_COMPILED if message.startswith(NOT_COMPILED) else message


@pytest.fixture(autouse=True)
def _program() -> None:
    try:
        find("admission-policies")
    except MissingProgram as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("name", CASES)
def test_the_same_outcomes(name: str) -> None:
    case = CASES[name]
    ours = read(case.objects, "1.38", strict=False, complete=True)
    theirs = reviews(case.objects, [as_sent(each) for each in case.requests])["small"]
    for asked, answer in zip(case.requests, theirs, strict=True):
        found = ours.evaluate(asked)
        denials = [each.text for each in found if each.effect == "deny"]
        assert bool(denials) == (not answer["allowed"])
        if denials and not any(NOT_COMPILED in each for each in denials):
            assert any(answer["message"].endswith(each) for each in denials)
        warned = [each.text for each in found if each.effect == "warn"]
        assert warned == answer.get("warnings", [])
        failed = [(each.binding, shown(each.message)) for each in found]
        expected = [
            (each["binding"], shown(each["message"])) for each in answer.get("failures", [])
        ]
        if "failed to configure" not in answer.get("message", "") and "annotation" not in name:
            assert sorted(failed) == sorted(expected)
