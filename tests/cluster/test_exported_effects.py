"""Exported policies that do not deny: their warnings and audit annotations on a real API server."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from cluster.bed.connection import Connection, with_certificate
from cluster.installed_chart import wait_for
from cluster.small_jobs import JOBS, job
from jobsworth.policy.request import CRON_JOB_CONTROLLERS
from jobsworth.policy.violation import EFFECTS
from support.policy.policy_requests import document

if TYPE_CHECKING:
    from cluster.bed import TestBed

FAILURE = "validation.policy.admission.k8s.io/validation_failure"
MASTERS = "system:masters"
SEVERAL = ("one", "another")
LIMITS = {
    "parallelism": {"maximum": 5},
    "backoffLimit": {"maximum": 3, "message": 'Ask "batch".'},
}
VIOLATIONS = [
    'spec.backoffLimit: Invalid value: 4: must be less than or equal to 3 [JP002] Ask "batch".',
    "spec.parallelism: Invalid value: 9: must be less than or equal to 5 [JP002]",
]
RECORD = f"JobPolicy to-%s: {'; '.join(VIOLATIONS)}"
FAILED = "Validation failed for ValidatingAdmissionPolicy '%(policy)s' with binding '%(binding)s': %(message)s"


@dataclass(frozen=True)
class Admission:
    """The answer to the creation of a Job, and what the audit log has of it.

    Attributes:
        code: the HTTP status.
        warnings: the texts of the ``Warning`` headers.
        recorded: the failed validations of the audit annotation.
    """

    code: int
    warnings: list[str]
    recorded: list[dict[str, Any]]


class ExportedPolicies:
    """A policy for each effect, exported to a namespace; an object's label chooses the policy."""

    def __init__(self, bed: TestBed, folder: Path) -> None:
        self.bed = bed
        self.folder = folder
        self.namespace = bed.namespace("effects")
        self.file = folder / "exported.yaml"
        values = [
            *(self._policy(f"to-{effect}", effect, effect) for effect in EFFECTS),
            *(self._policy(name, "audit", "twice") for name in SEVERAL),
        ]
        (folder / "policies.yaml").write_text(yaml.safe_dump_all(values), "utf-8")
        done = jobsworth("policy", "export", str(folder / "policies.yaml"))
        assert done.returncode == 0, done.stderr
        self.file.write_text(done.stdout, "utf-8")

    def _policy(self, name: str, effect: str, label: str) -> dict[str, Any]:
        labels = {"matchLabels": {"effect": label}}
        match = [{"namespaces": [self.namespace], "objectSelector": labels}]
        return document(name, enforcement=effect, match=match, limits=LIMITS)

    def create(self, thing: dict[str, Any], connection: Connection | None = None) -> Admission:
        """Create a Job as a dry run, as the administrator or another user."""
        path = JOBS.format(self.namespace)
        with self.bed.calls() as calls:
            sender = connection or self.bed.connection
            answer = sender.request("POST", f"{path}?dryRun=All", thing)
        found: list[dict[str, Any]] = []

        def is_logged() -> bool:
            for call in calls.calls("test-bed"):
                if call.namespace == self.namespace:
                    found[:] = json.loads(call.annotations.get(FAILURE, "[]"))
                    return True
            return False

        wait_for(is_logged, "the audit event of the request")
        return Admission(answer.code, list(answer.warnings), found)

    def cron_job_controller(self) -> Connection:
        """Open a connection as the CronJob controller."""
        root = self.bed.user("impersonator", MASTERS).parent
        pair = root / "impersonator.crt", root / "impersonator.key"
        user = {"Impersonate-User": CRON_JOB_CONTROLLERS[0], "Impersonate-Group": MASTERS}
        return with_certificate(self.bed.url, self.bed.folder.ca_file, *pair, user)


def violating(effect: str) -> dict[str, Any]:
    """A Job that violates both limits of the policy with an effect."""
    thing = job("train", parallelism=9, backoffLimit=4)
    thing["metadata"]["labels"] = {"effect": effect}
    return thing


def jobsworth(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jobsworth", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def exported(bed: TestBed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExportedPolicies]:
    made = ExportedPolicies(bed, tmp_path_factory.mktemp("exported"))
    bed.kubectl("apply", "-f", str(made.file))
    try:
        wait_for(lambda: made.create(violating("deny")).code != 201, "the denials")
        wait_for(lambda: bool(made.create(violating("warn")).warnings), "the warnings")
        wait_for(lambda: bool(made.create(violating("audit")).recorded), "the annotations")
        yield made
    finally:
        bed.kubectl("delete", "-f", str(made.file))


def test_a_policy_that_warns_returns_each_violation_as_a_warning(
    exported: ExportedPolicies,
) -> None:
    found = exported.create(violating("warn"))
    name = "'to-warn.jobs.warn.jobsworth.dev'"
    failed = f"Validation failed for ValidatingAdmissionPolicy {name} with binding {name}: "
    assert found.warnings == [f"{failed}JobPolicy to-warn: {each}" for each in VIOLATIONS]
    assert (found.code, found.recorded) == (201, [])


def test_a_policy_that_audits_records_all_violations(exported: ExportedPolicies) -> None:
    found = exported.create(violating("audit"))
    assert (found.code, found.warnings) == (201, [])
    (record,) = found.recorded
    assert record["message"] == RECORD % "audit"
    assert record["policy"] == record["binding"] == "to-audit.jobs.audit.jobsworth.dev"
    assert record["validationActions"] == ["Audit"]


def test_of_several_policies_that_audit_a_request_one_is_in_the_audit_log(
    exported: ExportedPolicies,
) -> None:
    def both_counted() -> bool:
        exported.create(violating("twice"))
        metrics = exported.bed.request("GET", "/metrics").body
        counted = re.findall(
            r"^apiserver_validating_admission_policy_check_total\{(.*)\}", metrics, re.M
        )
        return all(
            any(f'policy="{name}.jobs.audit.' in each and '="audit"' in each for each in counted)
            for name in SEVERAL
        )

    wait_for(both_counted, "the metrics of both policies")
    assert len(exported.create(violating("twice")).recorded) == 1


def test_a_job_of_a_cron_job_is_recorded_and_not_denied(exported: ExportedPolicies) -> None:
    thing = violating("deny")
    owner = {"apiVersion": "batch/v1", "kind": "CronJob", "name": "nightly", "uid": "1"}
    thing["metadata"]["ownerReferences"] = [{**owner, "controller": True}]
    assert exported.create(thing).code == 403
    found = exported.create(thing, exported.cron_job_controller())
    assert (found.code, found.warnings) == (201, [])
    assert [each["message"] for each in found.recorded] == [RECORD % "deny"]


@pytest.mark.parametrize("effect", EFFECTS)
def test_a_job_without_violations_has_no_trace(exported: ExportedPolicies, effect: str) -> None:
    thing = violating(effect)
    thing["spec"] |= {"parallelism": 5, "backoffLimit": 3}
    assert exported.create(thing) == Admission(201, [], [])


@pytest.mark.parametrize("effect", ["warn", "audit"])
def test_validate_reports_the_same(exported: ExportedPolicies, effect: str) -> None:
    manifest = exported.folder / "train.yaml"
    manifest.write_text(yaml.safe_dump(violating(effect)), "utf-8")
    options = ("-n", exported.namespace, "--admission-policy", str(exported.file), "--info")
    done = jobsworth("validate", *options, "-o", "json", str(manifest))
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(done.stdout)["results"]
    reported = [each["message"] for each in result["findings"] if each["code"] == "JP060"]
    found = exported.create(violating(effect))
    assert reported == found.warnings + [FAILED % each for each in found.recorded]
