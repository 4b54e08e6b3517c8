"""docs/gitops.md shows what kubectl prints on a real API server.

To update it after an intended change: ``JOBSWORTH_RENEW=1 pytest tests/cluster/test_gitops_page.py``.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jobsworth.files.policies.policy_files import load_policies
from support.admission.registered_webhook import registered_webhook

if TYPE_CHECKING:
    from cluster.bed import TestBed

PAGE = Path(__file__).parents[2] / "docs" / "gitops.md"
FILE = re.compile(r"<!-- file: (?P<name>.*?) -->\n```yaml\n(?P<text>.*?)```\n", re.DOTALL)
SCREEN = re.compile(r"<!-- kubectl -->\n```console\n(?P<text>.*?)```\n", re.DOTALL)

WIDTH = 240


def test_its_screens_are_what_kubectl_prints(
    bed: TestBed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = PAGE.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for file in FILE.finditer(page):
        Path(file["name"]).write_text(file["text"])
    with registered_webhook(bed, "gitops-page") as webhook:
        webhook.load(load_policies(["policy.yaml"]))
        namespace = webhook.namespace("page")

        def printed(screen: re.Match[str]) -> str:
            commands = [line for line in screen["text"].splitlines() if line.startswith("$ ")]
            assert commands
            lines = "".join(f"{line}\n{run(bed, namespace, line)}" for line in commands)
            return f"<!-- kubectl -->\n```console\n{lines}```\n"

        now = SCREEN.sub(printed, page)
    if os.environ.get("JOBSWORTH_RENEW"):
        PAGE.write_text(now, encoding="utf-8")
        return
    assert now == page


def run(bed: TestBed, namespace: str, line: str) -> str:
    program, *arguments = shlex.split(line.removeprefix("$ "))
    assert program == "kubectl"
    done = bed.kubectl(*arguments, "--namespace", namespace, check=False)
    printed = (done.stdout + done.stderr).replace(f" from {namespace} namespace", "")
    lines = (
        line if len(line) <= WIDTH else f"{line[:WIDTH]}…" for line in printed.rstrip().splitlines()
    )
    return "".join(f"{line.rstrip()}\n" for line in lines)
