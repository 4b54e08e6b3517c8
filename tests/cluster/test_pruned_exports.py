"""The documented commands apply an export, and prune what is no longer exported."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from subprocess import run
from typing import TYPE_CHECKING

import yaml

from support.policy.policy_requests import document

if TYPE_CHECKING:
    from cluster.bed import TestBed

PAGE = Path(__file__).parents[2] / "docs" / "admission-policies.md"
LIMITS = {"parallelism": {"maximum": 5}}


def exported(folder: Path) -> str:
    command = [sys.executable, "-m", "jobsworth", "policy", "export", str(folder)]
    return run(command, capture_output=True, text=True, check=True).stdout


def names(bed: TestBed) -> set[str]:
    label = "-l=app.kubernetes.io/managed-by=jobsworth"
    kinds = "validatingadmissionpolicies,validatingadmissionpolicybindings"
    return set(bed.kubectl("get", kinds, "-o=name", label).stdout.split())


def test_an_export_is_applied_and_pruned(bed: TestBed, tmp_path: Path) -> None:
    for name in ("kept", "removed"):
        value = document(name, limits=LIMITS, cronJobJobs="enforce")
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(value))
    bed.kubectl("apply", "-f", "-", input=exported(tmp_path))
    assert len(names(bed)) == 8
    (tmp_path / "removed.yaml").unlink()
    text = PAGE.read_text("utf-8").replace("\\\n", " ")
    (pruning,) = re.findall(r"\| kubectl (apply -f - --prune [^\n]*)", text)
    bed.kubectl(*pruning.split(), input=exported(tmp_path))
    found = names(bed)
    assert len(found) == 4
    assert all("/kept." in name for name in found)
    bed.kubectl("delete", "-f", "-", input=exported(tmp_path))
