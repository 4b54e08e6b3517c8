"""`jobsworth default`, run as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import jobsworth
from jobsworth.manifests import read_text
from support.cli.command_processes import BAD, GOOD, OTHER, run
from support.cli.command_runs import Command


def test_json_is_a_list_in_the_order_of_input() -> None:
    second = GOOD.replace("train", "second")
    done = run("default", "-o", "json", "-", stdin=f"{GOOD}---\n{OTHER}---\n{second}")
    listed = json.loads(done.stdout)
    assert (listed["apiVersion"], listed["kind"]) == ("v1", "List")
    assert [item["metadata"]["name"] for item in listed["items"]] == ["train", "second"]
    assert listed["items"][0]["spec"]["podReplacementPolicy"] == "TerminatingOrFailed"
    assert done.stderr == "1 object skipped: not a Job or CronJob\n"
    assert done.returncode == 0


def test_yaml_is_read_back_as_it_was() -> None:
    env = '          env: [{name: "y", value: "1e3"}, {name: "N", value: "a\\nb"}, {name: E, value: "08"}]\n'
    stdin = GOOD.replace("          image: busybox:1.36\n", "          image: busybox:1.36\n" + env)
    done = run("default", "-", stdin=stdin)
    (again,) = read_text(done.stdout.encode(), "out.yaml")
    (original,) = read_text(stdin.encode(), "in.yaml")
    assert again.value == jobsworth.default(original.value)


def test_a_job_without_labels_gets_those_of_its_pods() -> None:
    for own in ("", "  labels: {}\n"):
        stdin = GOOD.replace("  name: train\n", f"  name: train\n{own}", 1).replace(
            "  template:\n", "  template:\n    metadata: {labels: {app: x}}\n", 1
        )
        done = run("default", "-", stdin=stdin)
        assert done.stdout.count("app: x") == 2, done.stdout
        assert "&" not in done.stdout


def test_an_object_that_is_invalid_but_decodes_is_defaulted_all_the_same() -> None:
    done = run("default", "-", stdin=BAD)
    assert done.returncode == 0
    assert "backoffLimit: 2147483647" in done.stdout


def test_undecodable_documents_are_reported_and_the_rest_printed(tmp_path: Path) -> None:
    wrong = GOOD.replace("spec:\n", "spec:\n  parallelism: three\n", 1)
    done = run("default", "-", stdin=f"{wrong}---\n{GOOD}")
    assert done.returncode == 1
    assert "<stdin>:6:16: error: spec.parallelism: " in done.stderr
    assert done.stdout.count("kind: Job") == 1


def test_a_missing_file_exits_with_2(tmp_path: Path) -> None:
    done = run("default", "missing.yaml", folder=tmp_path)
    assert done.returncode == 2
    assert "missing.yaml" in done.stderr


def test_policies_match_the_namespace_and_the_sender(command: Command) -> None:
    policy = (
        "apiVersion: jobsworth.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: cleanup}\nspec:\n"
        "  match: [{namespaces: [team-a], users: [ann]}]\n"
        "  defaults: {ttlSecondsAfterFinished: {value: 61, when: always}}\n"
    )
    files = {"policy.yaml": policy, "job.yaml": GOOD}
    arguments = ("default", "--policy", "policy.yaml", "job.yaml", "--user", "ann")
    assert "ttlSecondsAfterFinished: 61" not in command(*arguments, files=files).out
    assert "ttlSecondsAfterFinished: 61" in command(*arguments, "-n", "team-a").out


def test_a_profile_can_be_applied_too(command: Command) -> None:
    done = command("default", "--profile", "strict", "job.yaml", files={"job.yaml": GOOD})
    assert done.code == 0, "the profiles set no defaults"


UNLIMITED = GOOD.replace("  ttlSecondsAfterFinished: 86400\n", "")
CONDITIONAL = (
    "apiVersion: jobsworth.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: retries}\nspec:\n"
    "  defaults: {backoffLimit: {value: 3}, ttlSecondsAfterFinished: {value: 60}}\n"
)


def test_a_default_that_the_webhook_does_not_set_after_a_plain_create_has_a_note(
    command: Command,
) -> None:
    files = {"policy.yaml": CONDITIONAL, "job.yaml": UNLIMITED}
    done = command("default", "--policy", "policy.yaml", "job.yaml", files=files)
    assert "backoffLimit: 3" in done.out
    assert (
        "note: with kubectl create, policy retries: default for spec.backoffLimit not set: the API "
        "server's 6 stays"
    ) in done.err
    assert "ttlSecondsAfterFinished" not in done.err
    changed = CONDITIONAL.replace("value: 3", "value: 3, when: ifServerDefault")
    files["policy.yaml"] = changed
    assert "note" not in command("default", "--policy", "policy.yaml", "job.yaml", files=files).err
