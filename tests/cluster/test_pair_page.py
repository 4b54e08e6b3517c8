"""The two commands of docs/controller.md that run webhook and controller from a terminal."""

from __future__ import annotations

import json
import os
import re
import shlex
import ssl
import sys
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cluster.available_beds import bed_or_skip
from cluster.bed import Process, free_ports
from cluster.installed_chart import ROOT, wait_for
from cluster.test_reconciled_policies import items, policy, violating, write

if TYPE_CHECKING:
    from cluster.bed import TestBed

PAGE = ROOT / "docs" / "controller.md"
COMMANDS = re.compile(r"two commands.*?\n```\n(?P<commands>.*?)```", re.DOTALL)


def test_the_two_commands_of_the_page_run_the_pair_on_one_folder_of_policies(
    tmp_path: Path,
) -> None:
    (tmp_path / "policies").mkdir()
    write(tmp_path / "policies", policy("retries", limits={"backoffLimit": {"maximum": 3}}))
    found = COMMANDS.search(PAGE.read_text(encoding="utf-8"))
    assert found is not None
    serve, reconcile = found["commands"].splitlines()
    webhook_port, monitor, controller = (f"127.0.0.1:{port}" for port in free_ports(3))
    with bed_or_skip(controllers="garbage-collector-controller", kubelet=True) as bed:
        # Other ports than those of the page: tests run beside each other.
        webhook = started(
            bed, serve, tmp_path, f"--bind={webhook_port}", f"--monitor-bind={monitor}"
        )
        pair = [webhook, started(bed, reconcile, tmp_path, f"--monitor-bind={controller}")]
        wait_for(lambda: "\ncurl " in webhook.log.read_text(), "the curl command", pair)
        wait_for(lambda: "caches synced" in pair[1].log.read_text(), "the controller", pair)
        review = json.loads((tmp_path / "certs" / "review.json").read_text())
        spec = review["request"]["object"]["spec"]
        spec["backoffLimit"] = 2
        assert answer(webhook, tmp_path, review)["allowed"]
        spec["backoffLimit"] = 9
        denied = answer(webhook, tmp_path, review)
        assert "JobPolicy retries: spec.backoffLimit" in denied["status"]["message"]
        namespace = bed.namespace()
        bed.create(violating("stored"), namespace)
        events = f"/api/v1/namespaces/{namespace}/events"
        wait_for(lambda: len(items(bed, events)) > 1, "the Events", pair)
        messages = [
            one["message"] for one in items(bed, events) if one["reason"] == "PolicyViolation"
        ]
        assert [message.partition(":")[0] for message in messages] == [
            "Admitted, although JobPolicy retries denies it"
        ]
        for process in pair:
            process.stop()
            assert process.exit_code == 0


def started(bed: TestBed, command: str, folder: Path, *ports: str) -> Process:
    """Start a command of the page in a folder, with the kubeconfig of a user."""
    program, *arguments = shlex.split(command)
    assert program == "jobsworth"
    path = os.pathsep.join([str(ROOT / "webhook"), *sys.path])
    return Process(
        [sys.executable, "-m", "jobsworth", *arguments, *ports],
        folder / f"{arguments[0]}.log",
        {"PYTHONPATH": path, "KUBECONFIG": str(bed.kubeconfig)},
        folder,
    )


def answer(webhook: Process, folder: Path, review: dict[str, Any]) -> dict[str, Any]:
    """Do what the printed curl command does, with this review."""
    (line,) = (each for each in webhook.log.read_text().splitlines() if each.startswith("curl "))
    arguments = shlex.split(line)
    options = dict(zip(arguments[1:-1:2], arguments[2:-1:2], strict=True))
    file = Path(options["--data-binary"].removeprefix("@"))
    assert file == folder / "certs" / "review.json"
    file.write_text(json.dumps(review))
    name, _, value = options["-H"].partition(": ")
    request = urllib.request.Request(arguments[-1], file.read_bytes(), {name: value})
    context = ssl.create_default_context(cafile=options["--cacert"])
    with urllib.request.urlopen(request, context=context, timeout=10) as sent:
        response: dict[str, Any] = json.load(sent)["response"]
        return response
