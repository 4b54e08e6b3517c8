"""The policies of ``jobsworth reconcile``: loaded, reloaded, broken, and for the release of the API server."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from jobsworth.api.api_server import NEWEST_RELEASE, ApiServer
from jobsworth.client.api_errors import UNREACHABLE, ApiError
from jobsworth.client.api_interface import JSON, Api
from jobsworth.files.policies.effective_policy_files import EffectivePolicyFiles
from jobsworth.policy.effective_policies import PolicyVersion
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.reconciler.reconciled_policies import RELEASE_SECONDS, ReconciledPolicies
from jobsworth.serving.policy_files import PolicyFiles
from support.fake_clock import FakeClock


class Versioned(Api):
    """An API server that reports a release, or cannot be reached.

    Attributes:
        release: its release; empty if it cannot be reached.
        asked: the number of questions.
    """

    def __init__(self, release: str = "1.33") -> None:
        self.release = release
        self.asked = 0

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        content_type: str = JSON,
        accept: str = JSON,
    ) -> dict[str, Any]:
        assert (method, path) == ("GET", "/version")
        self.asked += 1
        if not self.release:
            raise ApiError(UNREACHABLE, "", "connection refused")
        major, minor = self.release.split(".")
        return {"major": major, "minor": minor}

    def stream(self, path: str, query: Mapping[str, str]) -> Any:
        raise NotImplementedError


class Reconciled:
    """The policies in a folder, with all that they report.

    Attributes:
        log: the messages.
        successes: whether each load was successful.
    """

    def __init__(self, folder: Path, stored: Path | None = None) -> None:
        self.folder = folder
        self.api = Versioned()
        self.clock = FakeClock()
        self.log: list[str] = []
        self.successes: list[bool] = []
        files = EffectivePolicyFiles([folder], stored=stored)
        self.policies = ReconciledPolicies(
            PolicyFiles(files.load, files.watched),
            lambda release: ApiServer(release or NEWEST_RELEASE),
            api=self.api,
            log=self.log.append,
            loaded_successfully=self.successes.append,
            clock=self.clock,
        )

    def write(self, name: str, maximum: Any) -> None:
        """Write a policy whose limit of backoffLimit this is."""
        spec = {"limits": {"backoffLimit": {"maximum": maximum}}}
        (self.folder / f"{name}.yaml").write_text(yaml.safe_dump(document(name, spec)))

    def check(self) -> bool:
        """Check twice, because two checks must find the same change; return True if one had an effect."""
        first = self.policies.check()
        return self.policies.check() or first

    def active(self) -> dict[str, JobPolicy]:
        """Return the active policies by name."""
        assert self.policies.active is not None
        return {policy.name: policy for policy in self.policies.active.policies.policies}

    def maximum(self, name: str) -> int | None:
        """Return the limit of an active policy."""
        limits = self.active()[name].limits
        assert limits is not None
        maximum: int | None = limits.fields["backoffLimit"].value["maximum"]
        return maximum


def document(name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "jobsworth.dev/v1alpha1",
        "kind": "JobPolicy",
        "metadata": {"name": name},
        "spec": spec,
    }


@pytest.fixture
def it(tmp_path: Path) -> Reconciled:
    folder = tmp_path / "policies"
    folder.mkdir()
    it = Reconciled(folder)
    it.write("retries", 3)
    return it


def test_nothing_is_active_before_the_first_check(it: Reconciled) -> None:
    assert it.policies.active is None
    assert it.check()
    assert it.maximum("retries") == 3
    assert it.log[0].startswith("loaded 1 policy in ")
    assert it.log[0].endswith("s: retries")
    assert it.successes == [True]


def test_a_check_without_a_change_keeps_the_same_version(it: Reconciled) -> None:
    it.check()
    before = it.policies.active
    assert not it.check()
    assert it.policies.active is before


def test_a_changed_file_is_another_version(it: Reconciled) -> None:
    it.check()
    before = it.policies.active
    it.write("retries", 5)
    assert it.check()
    assert it.policies.active is not before
    assert it.maximum("retries") == 5


def test_of_a_broken_policy_the_last_valid_version_stays_and_the_others_change(
    it: Reconciled,
) -> None:
    it.write("other", 1)
    it.check()
    it.write("retries", "many")
    it.write("other", 2)
    assert it.check()
    assert (it.maximum("retries"), it.maximum("other")) == (3, 2)
    assert it.successes == [True, False]
    assert "retries: its last valid version is active" in it.log[-1]
    assert "retries.yaml" in it.log[-1]
    it.write("retries", 4)
    assert it.check()
    assert it.maximum("retries") == 4
    assert it.successes[-1]


def test_a_policy_that_is_broken_from_the_start_enforces_nothing(it: Reconciled) -> None:
    it.write("retries", "many")
    assert it.check()
    assert it.active() == {}
    assert "retries: it enforces nothing" in it.log[-1]
    assert it.successes == [False]


def test_a_policy_that_is_broken_from_the_start_has_its_stored_version(tmp_path: Path) -> None:
    folder, stored = tmp_path / "policies", tmp_path / "last-good-policies"
    folder.mkdir()
    stored.mkdir()
    it = Reconciled(folder, stored)
    it.write("retries", "many")
    before = document("retries", {"limits": {"backoffLimit": {"maximum": 2}}})
    (stored / "retries").write_text(PolicyVersion("retries.yaml", before).to_json())
    assert it.check()
    assert it.maximum("retries") == 2
    assert "retries: its last valid version is active" in it.log[-1]


def test_a_deleted_policy_is_not_active_any_more(it: Reconciled) -> None:
    it.check()
    (it.folder / "retries.yaml").unlink()
    assert it.check()
    assert it.active() == {}


def test_files_that_cannot_be_read_leave_the_active_policies(
    it: Reconciled, monkeypatch: pytest.MonkeyPatch
) -> None:
    it.check()
    (it.folder / "retries.yaml").unlink()
    (it.folder / "retries.yaml").symlink_to("/dev/zero")
    it.check()
    assert it.maximum("retries") == 3
    assert not it.successes[-1]


def test_policies_are_evaluated_by_the_release_that_the_api_server_reports(it: Reconciled) -> None:
    it.check()
    assert it.policies.active is not None
    assert it.policies.active.evaluator.server.release == "1.33"
    it.api.release = "1.34"
    it.clock.now += RELEASE_SECONDS - 1
    assert not it.check()
    it.clock.now += 1
    assert it.check()
    assert it.policies.active.evaluator.server.release == "1.34"
    assert it.api.asked == 2


def test_an_api_server_that_does_not_answer_changes_nothing(it: Reconciled) -> None:
    it.check()
    before = it.policies.active
    it.api.release = ""
    it.clock.now += RELEASE_SECONDS
    assert not it.check()
    assert it.policies.active is before
    assert it.log[-1] == "the release of the API server is unknown: connection refused"


def test_without_an_answer_at_the_start_the_policies_are_active(it: Reconciled) -> None:
    it.api.release = ""
    assert it.check()
    assert it.maximum("retries") == 3


def test_a_removed_policy_is_named(it: Reconciled) -> None:
    it.write("other", 1)
    it.check()
    (it.folder / "other.yaml").unlink()
    assert it.check()
    assert list(it.active()) == ["retries"]
    assert it.log[-1] == "warning: policies were removed: other"
