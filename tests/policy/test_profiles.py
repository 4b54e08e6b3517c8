"""The profiles that ship with jobsworth: each rule is tried, and none changes an object."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
import yaml

from jobsworth.api.api_server import ApiServer
from jobsworth.files.policies.policy_cases import Case, CaseFile, read_cases, run_case
from jobsworth.files.policies.policy_files import PROFILE_FOLDER, load_policies, profile_files
from jobsworth.files.policies.profiles import ENFORCEMENTS, PROFILES, Profile
from jobsworth.policy.reader import read
from jobsworth.policy.violation import Effect
from support.lint.manifests_with_findings import SOUND

if TYPE_CHECKING:
    from jobsworth.files.policies.profiles import ProfileName

FOLDER = Path(PROFILE_FOLDER)
SERVER = ApiServer("1.36")
PARTS = ("limits", "rules", "expressions")
Rule = tuple[str | int, ...]


def document(policy: str) -> Any:
    return yaml.safe_load((FOLDER / f"{policy}.yaml").read_text("utf-8"))


DOCUMENTS = {policy: document(policy) for policy in PROFILES}


@cache
def cases(profile: str) -> tuple[tuple[CaseFile, Case], ...]:
    found = read_cases(str(FOLDER / f"{profile}_test.yaml"), [])
    return tuple((file, case) for file in found for case in file.cases)


ALL_CASES = [each for profile in PROFILES for each in cases(profile)]


def rules(policy: str) -> list[Rule]:
    """The paths of a policy's rules: a limited field or resource, a lint rule, an expression."""

    def limits(value: dict[str, Any], path: Rule) -> Iterator[Rule]:
        for key, below in value.items():
            if key in ("pod", "cronJob", "resources", "requests", "limits"):
                yield from limits(below, (*path, key))
            else:
                yield (*path, key)

    spec = DOCUMENTS[policy]["spec"]
    found = [*limits(spec["limits"], ("limits",)), *(("rules", name) for name in spec["rules"])]
    return [*found, *(("expressions", index) for index in range(len(spec.get("expressions", ()))))]


def without(policy: str, rule: Rule) -> Any:
    """The document without one of its rules."""
    changed = copy.deepcopy(DOCUMENTS[policy])
    *above, last = rule
    holder = changed["spec"]
    for step in above:
        holder = holder[step]
    del holder[last]
    while above and not holder:  # a policy has no empty parts
        *above, last = above
        holder = changed["spec"]
        for step in above:
            holder = holder[step]
        del holder[last]
    return changed


@pytest.mark.parametrize(
    ("file", "case"),
    ALL_CASES,
    ids=[f"{Path(file.file).stem}: {case.name}" for file, case in ALL_CASES],
)
def test_a_case(file: CaseFile, case: Case) -> None:
    outcome = run_case(file.file, case, load_policies(file.policies), SERVER)
    assert outcome.failures == ()


@pytest.mark.parametrize(
    ("policy", "rule"),
    [(policy, rule) for policy in PROFILES for rule in rules(policy)],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else value,
)
def test_without_a_rule_a_case_fails(policy: str, rule: Rule) -> None:
    remaining = read([without(policy, rule)])
    assert any(
        run_case(file.file, case, remaining, SERVER).failures for file, case in cases(policy)
    )


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_satisfies_the_schema(profile: ProfileName) -> None:
    assert read([document(Path(file).stem) for file in profile_files(profile)]).policies


@pytest.mark.parametrize("policy", PROFILES)
def test_a_profile_changes_no_object_and_warns_unless_told_otherwise(policy: str) -> None:
    spec = DOCUMENTS[policy]["spec"]
    assert {"defaults", "immutable"}.isdisjoint(spec)
    assert spec["enforcement"] == "warn"
    assert DOCUMENTS[policy]["metadata"]["name"] == policy


def test_strict_adds_to_baseline_and_repeats_nothing() -> None:
    assert [Path(file).stem for file in profile_files("strict")] == ["baseline", "strict"]
    assert set(rules("baseline")).isdisjoint(rules("strict"))


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("enforcement", ENFORCEMENTS)
def test_the_enforcement_is_that_of_every_policy_of_the_profile(
    profile: ProfileName, enforcement: Effect
) -> None:
    loaded = load_policies((), Profile(profile, enforcement))
    assert {policy.enforcement for policy in loaded.policies} == {enforcement}
    assert loaded.fails_closed is (profile == "strict" and enforcement == "deny")


def test_every_enforcement_can_be_chosen() -> None:
    assert set(ENFORCEMENTS) == set(get_args(Effect))


BARE = """\
import sys
sys.modules["re2"] = None
from jobsworth.cli import run
sys.exit(run(sys.argv[1:]))
"""


def validate_bare(*arguments: str) -> subprocess.CompletedProcess[str]:
    """`jobsworth validate` without the packages of the extra `policy`."""
    return subprocess.run(
        [sys.executable, "-c", BARE, "validate", *arguments, "-"],
        input=SOUND.replace("spec:\n", "spec:\n  backoffLimit: 21\n", 1),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_baseline_works_in_a_plain_installation() -> None:
    done = validate_bare("--profile", "baseline")
    assert done.returncode == 0
    assert "JP002" in done.stdout


@pytest.mark.slow
def test_policies_without_expressions_work_in_a_plain_installation(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(
        "apiVersion: jobsworth.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: retries}\n"
        "spec:\n  limits:\n    backoffLimit: {maximum: 5}\n"
    )
    done = validate_bare("--policy", str(tmp_path / "policy.yaml"))
    assert done.returncode == 1
    assert "must be less than or equal to 5" in done.stdout


@pytest.mark.slow
def test_a_profile_does_not_import_the_schema_library() -> None:
    program = (
        "import sys\n"
        "from jobsworth.files.policies.policy_files import load_policies\n"
        "from jobsworth.files.policies.profiles import Profile\n"
        "load_policies((), Profile('baseline', 'warn'))\n"
        "print('jsonschema' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("False\n", "")


@pytest.mark.slow
def test_strict_works_in_a_plain_installation() -> None:
    done = validate_bare("--profile", "strict")
    assert done.returncode == 0
    assert "JP" in done.stdout


@pytest.mark.slow
def test_an_expression_that_searches_names_the_package_that_it_requires(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(
        "apiVersion: jobsworth.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: names}\n"
        "spec:\n  expressions:\n    - expression: object.metadata.name.matches('a')\n"
    )
    done = validate_bare("--policy", str(tmp_path / "policy.yaml"))
    assert done.returncode == 2
    assert "(run pip install 'jobsworth[policy]', or '.[policy]' in a clone)" in done.stderr
