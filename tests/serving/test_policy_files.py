"""The policies of a process: what is loaded, removed, broken or rejected when their files change."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from jobsworth.files.policies.effective_policy_files import EffectivePolicyFiles
from jobsworth.policy.effective_policies import EffectivePolicies
from jobsworth.serving.policy_files import PolicyFiles, PolicyLoad, no_policies
from support.policy.policy_requests import document


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, "retries")
    return tmp_path


def write(folder: Path, name: str, maximum: object = 3) -> None:
    value = document(name, limits={"backoffLimit": {"maximum": maximum}})
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(value))


def policies_in(folder: Path) -> PolicyFiles:
    files = EffectivePolicyFiles([folder])
    return PolicyFiles(files.load, files.watched)


def reloaded(files: PolicyFiles) -> PolicyLoad:
    """The result of a change, which two checks must find."""
    assert files.check() is None
    load = files.check()
    assert load is not None
    return load


def test_the_policies_are_loaded_at_the_first_check(folder: Path) -> None:
    files = policies_in(folder)
    assert files.active is None
    load = files.check()
    assert load is not None
    assert load.succeeded
    assert files.active is load.policies
    assert files.check() is None
    ((level, message),) = load.messages()
    assert level == "info"
    assert message.startswith("loaded 1 policy in ")
    assert message.endswith(" s: retries")


def test_a_removed_policy_is_a_warning(folder: Path) -> None:
    write(folder, "other")
    files = policies_in(folder)
    files.check()
    (folder / "other.yaml").unlink()
    load = reloaded(files)
    assert load.removed == ("other",)
    assert list(load.lines())[1] == "warning: policies were removed: other"


def test_of_a_broken_policy_the_last_valid_version_stays_active(folder: Path) -> None:
    files = policies_in(folder)
    files.check()
    write(folder, "retries", "many")
    load = reloaded(files)
    assert not load.succeeded
    assert files.active is not None
    assert [policy.name for policy in files.active.policies.policies] == ["retries"]
    level, message = list(load.messages())[-1]
    assert level == "error"
    assert message.startswith(
        "rejected policies; fix the files (retries: its last valid version is"
    )
    assert "retries.yaml" in message


def test_a_first_file_that_cannot_be_read_enforces_nothing(folder: Path) -> None:
    (folder / "retries.yaml").write_text("spec: [")
    load = policies_in(folder).check()
    assert load is not None
    assert list(load.lines())[-1].startswith(
        "rejected policies; fix the files (a file that cannot be read enforces nothing):"
    )


def test_files_that_cannot_be_read_leave_what_is_active(folder: Path) -> None:
    files = policies_in(folder)
    files.check()
    before = files.active
    (folder / "retries.yaml").unlink()
    (folder / "retries.yaml").symlink_to("/dev/zero")
    load = reloaded(files)
    assert (load.policies, load.kept, files.active) == (None, True, before)
    ((_, message),) = load.messages()
    assert message.startswith("rejected the changed policy files, the previous ones stay active: ")


def test_without_an_active_policy_a_rejection_says_so() -> None:
    def broken() -> EffectivePolicies:
        raise ValueError("no such file")

    load = PolicyFiles(broken, ()).check()
    assert load is not None
    assert list(load.lines()) == [
        "rejected the changed policy files, no policy is active: no such file"
    ]


@pytest.mark.slow
def test_a_caller_that_checks_rarely_waits_for_the_second_check(folder: Path) -> None:
    files = policies_in(folder)
    files.check()
    write(folder, "retries", 5)
    load = files.check_until_settled()
    assert load is not None
    assert load.succeeded


def test_a_process_without_policies_has_an_empty_set() -> None:
    files = no_policies()
    files.check()
    assert files.active is not None
    assert files.active.policies.policies == ()
