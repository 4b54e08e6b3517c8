"""`jobsworth validate --server`: its options and errors; the cluster tests have the dry runs."""

from __future__ import annotations

import pytest

from support.cli.command_processes import GOOD
from support.cli.command_runs import Command


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--pods-as", "alice"), "--pods-as requires --server"),
        (("--server", "--fix"), "--server reports, and fixes nothing: omit --fix and --diff"),
        (("--server", "--diff"), "--server reports, and fixes nothing: omit --fix and --diff"),
    ],
)
def test_options_that_do_not_go_together(
    command: Command, arguments: tuple[str, ...], message: str
) -> None:
    done = command("validate", *arguments, "job.yaml", files={"job.yaml": GOOD})
    assert done.code == 2
    assert message in done.err


def test_a_cluster_that_cannot_be_reached(command: Command) -> None:
    pytest.importorskip("kubernetes")
    kubeconfig = (
        '{"current-context": "a", "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}], '
        '"users": [{"name": "a", "user": {"token": "t"}}], '
        '"clusters": [{"name": "a", "cluster": {"server": "https://127.0.0.1:1"}}]}'
    )
    files = {"job.yaml": GOOD, "kubeconfig": kubeconfig}
    done = command("validate", "--server", "--kubeconfig", "kubeconfig", "job.yaml", files=files)
    assert done.code == 2
    assert "Error: https://127.0.0.1:1 refuses connections" in done.err
