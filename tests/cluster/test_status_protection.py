"""The admission policy of docs/controller.md leaves the status of the controller's Jobs to its ServiceAccount."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from cluster.bed import TestBed
from cluster.controller.waiting import eventually
from cluster.small_jobs import job

PAGE = Path(__file__).resolve().parents[2] / "docs" / "controller.md"
OURS = "jobsworth.dev/job-controller"
MERGE = "application/merge-patch+json"


def test_only_the_controller_updates_the_status_of_its_jobs(bed: TestBed, namespace: str) -> None:
    (policy,) = re.findall(
        r"```yaml\n(apiVersion: admissionregistration.*?)```", PAGE.read_text(), re.DOTALL
    )
    controller = "system:serviceaccount:jobsworth:jobsworth-job-controller"
    assert controller in policy
    for document in yaml.safe_load_all(policy.replace(controller, "controller")):
        bed.create(document)
    try:
        for name, more in (("ours", {"managedBy": OURS}), ("plain", {})):
            bed.create(job(name, suspend=True, **more), namespace)
        others = bed.user("somebody", "system:masters")

        def update(name: str, count: int) -> str:
            patch = f'{{"status": {{"active": {count}}}}}'
            done = bed.kubectl(
                "patch", "job", name, "--namespace", namespace, "--subresource=status",
                "--type=merge", "--patch", patch, kubeconfig=others, check=False,
            )  # fmt: skip
            return done.stderr

        counts = iter(range(1000))
        denied = "Only the Job controller of jobsworth may update the status of this Job"
        # The API server takes a moment to read the policy.
        eventually(lambda: "" if denied in update("ours", next(counts)) else "not denied")
        assert update("plain", 7) == ""
        controllers = bed.user("controller", "system:masters")
        patched = bed.kubectl(
            "patch", "job", "ours", "--namespace", namespace, "--subresource=status",
            "--type=merge", "--patch", '{"status": {"active": 1}}', kubeconfig=controllers,
        )  # fmt: skip
        assert "patched" in patched.stdout
    finally:
        for kind in ("validatingadmissionpolicybindings", "validatingadmissionpolicies"):
            path = f"/apis/admissionregistration.k8s.io/v1/{kind}/status-of-jobsworth-jobs"
            bed.request("DELETE", path)
