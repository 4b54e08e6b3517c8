"""``jobsworth policy review``: the AdmissionReview of a manifest."""

from __future__ import annotations

import json

import pytest

from support.cli.command_runs import Command
from support.policy.policy_file_texts import JOB

FILES = {"job.yaml": JOB, "old.yaml": JOB.replace("backoffLimit: 9", "backoffLimit: 3")}


def test_the_review_has_the_namespace_and_the_user(command: Command) -> None:
    done = command(
        *("policy", "review", "job.yaml", "-n", "ml", "--user", "ann", "--group", "a,b"),
        files=FILES,
    )
    assert done.code == 0
    request = json.loads(done.out)["request"]
    assert (request["operation"], request["namespace"]) == ("CREATE", "ml")
    assert request["userInfo"]["groups"] == ["a", "b", "system:authenticated"]
    assert request["object"]["spec"]["backoffLimit"] == 9
    assert "uid" in request["object"]["metadata"]


def test_an_update_and_a_mutating_review(command: Command) -> None:
    done = command("policy", "review", "job.yaml", "--against", "old.yaml", files=FILES)
    request = json.loads(done.out)["request"]
    assert request["operation"] == "UPDATE"
    assert request["oldObject"]["spec"]["backoffLimit"] == 3
    done = command("policy", "review", "job.yaml", "--mutate")
    assert "uid" not in json.loads(done.out)["request"]["object"]["metadata"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("job.yaml", "old.yaml"), "a review has one object: name one file, or - for standard input"),
        (("job.yaml", "--operation", "UPDATE"), "--operation UPDATE has an old object: add --against"),
        (
            ("job.yaml", "--operation", "CREATE", "--against", "old.yaml"),
            "--operation CREATE has no old object: leave --against out",
        ),
        (("job.yaml", "--namespace-labels", "a=b"), "an AdmissionReview has no labels of the namespace"),
        (("two.yaml",), "two.yaml: 2 Jobs and CronJobs (train, train), and a review has one"),
        (("none.yaml",), "none.yaml: no Job or CronJob of batch/v1 in it"),
        (("broken.yaml",), "broken.yaml:1:"),
        (("nowhere.yaml",), "nowhere.yaml: no such file or folder"),
        (("wrong.yaml",), "wrong.yaml:6:17: error: spec.backoffLimit: "),
        (("job.yaml", "--against", "none.yaml"), "none.yaml: no object with the kind, namespace and name"),
    ],
)  # fmt: skip
def test_what_has_no_review(command: Command, arguments: tuple[str, ...], expected: str) -> None:
    files = {
        **FILES,
        "two.yaml": f"{JOB}---\n{JOB}",
        "none.yaml": "apiVersion: v1\nkind: Pod\n",
        "broken.yaml": "a: [",
        "wrong.yaml": JOB.replace("backoffLimit: 9", "backoffLimit: nine"),
    }
    done = command("policy", "review", *arguments, files=files)
    assert done.code == 2
    assert expected in " ".join(done.err.split())
