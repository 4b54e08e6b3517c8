"""The example policies in ``policies/``: each can be used, passes its cases, and is in the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.files.policies.policy_cases import Case, CaseFile, read_cases, run_case
from jobsworth.files.policies.policy_files import load_policies
from jobsworth.policy.consistency import inconsistencies

FOLDER = Path(__file__).parent.parent / "policies"
TESTS = sorted(FOLDER.glob("*_test.yaml"))
POLICIES = sorted(set(FOLDER.glob("*.yaml")) - set(TESTS))


def cases() -> list[tuple[CaseFile, Case]]:
    found = [file for path in TESTS for file in read_cases(str(path), [])]
    return [(file, case) for file in found for case in file.cases]


@pytest.mark.parametrize(
    ("file", "case"),
    cases(),
    ids=[f"{Path(file.file).stem}: {case.name}" for file, case in cases()],
)
def test_a_case(file: CaseFile, case: Case) -> None:
    policies = load_policies(file.policies)
    outcome = run_case(file.file, case, policies, ApiServer(file.release or "1.36"))
    assert outcome.failures == ()


def test_every_policy_has_cases() -> None:
    names = {path.stem for path in POLICIES}
    assert names == {path.stem.removesuffix("_test") for path in TESTS}
    assert len(names) == 5


def test_what_their_defaults_produce_satisfies_their_limits() -> None:
    policies = load_policies([str(FOLDER)])
    assert list(map(str, inconsistencies(policies, ApiServer("1.36")))) == []


def test_they_go_together_and_stand_in_the_table() -> None:
    assert load_policies([str(FOLDER)]).policies
    table = (FOLDER / "README.md").read_text("utf-8")
    for path in POLICIES:
        assert f"[{path.stem}]({path.name})" in table
        assert path.read_text("utf-8").startswith("# ")
