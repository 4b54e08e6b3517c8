"""`jobsworth policy export`: what it writes, what it reports as left, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from jobsworth.cli.commands.policy_export import MUTATING, NO_RECORD
from support.cli.command_runs import Command

POLICY = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata:
  name: house-rules
spec:
  limits:
    parallelism: {maximum: 5, message: "Ask #batch first: \\"please\\"."}
"""
RULES = "  rules: {JW101: deny}\n"


def write(text: str) -> str:
    Path("policy.yaml").write_text(text, "utf-8")
    return "policy.yaml"


def test_it_writes_policies_and_their_bindings(command: Command) -> None:
    done = command("policy", "export", write(POLICY))
    found = list(yaml.safe_load_all(done.out))
    assert (done.code, done.err) == (0, "1 of 1 parts of the policies exported\n")
    assert [each["kind"] for each in found] == [
        *["ValidatingAdmissionPolicy"] * 3,
        *["ValidatingAdmissionPolicyBinding"] * 3,
    ]
    assert "&" not in done.out.partition("spec:")[0]
    as_json = json.loads(command("policy", "export", "policy.yaml", "-o", "json").out)
    assert as_json["objects"] == found
    assert as_json["policies"][0]["exported"] == ["spec.limits.parallelism"]


def test_what_is_left_is_reported_at_its_place(command: Command) -> None:
    done = command("policy", "export", write(POLICY + RULES))
    assert done.code == 0
    assert done.err == (
        "policy.yaml:8:3: spec.rules: not exported: lint rules are not CEL: the webhook, "
        "jobsworth validate and jobsworth audit run them\n"
        "1 of 2 parts of the policies exported\n"
    )
    assert command("policy", "export", "policy.yaml", "--strict").code == 1
    left = json.loads(command("policy", "export", "policy.yaml", "-o", "json").out)["policies"][0]
    assert left["left"][0]["field"] == "spec.rules"


def test_defaults_of_pods_are_exported_without_a_record(command: Command) -> None:
    default = "  defaults: {pod: {labels: {team: {value: green}}}}\n"
    exported = command("policy", "export", write(POLICY + default), "--to", MUTATING)
    assert (exported.code, exported.err) == (0, f"{NO_RECORD}\n")
    default = "  defaults: {labels: {team: {value: green}}}\n"
    exported = command("policy", "export", write(POLICY + default), "--to", MUTATING)
    assert (exported.code, exported.err) == (0, "")


def test_the_values_of_the_chart_have_the_hash_of_each_export(command: Command) -> None:
    done = command("policy", "export", write(POLICY), "--to", "chart-values")
    native = yaml.safe_load(done.out)["enforcement"]["native"]
    labels = native["objects"][0]["metadata"]["labels"]
    assert native["policies"] == {"house-rules": labels["jobsworth.dev/export-hash"]}


def test_names_end_in_the_suffix(command: Command) -> None:
    done = command("policy", "export", write(POLICY), "--name-suffix", ".static.k8s.io")
    for each in yaml.safe_load_all(done.out):
        assert each["metadata"]["name"].endswith(".static.k8s.io")


def test_a_profile_can_be_exported(command: Command) -> None:
    done = command("policy", "export", "--profile", "baseline", "--profile-enforcement", "deny")
    names = [each["metadata"]["name"] for each in yaml.safe_load_all(done.out)]
    assert names[0] == "baseline.jobs.deny.jobsworth.dev"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--kubernetes-version", "1.29"), "name 1.30 to "),
        (("--kubernetes-version", "2.0"), "2.0"),
        (("--name-suffix", "static"), "--name-suffix"),
        (("--name-suffix", ".a" * 60), "--name-suffix"),
        (("--exempt-namespace", "Not_One"), "--exempt-namespace"),
        (("--to", "chart-values", "--name-suffix", ".static.k8s.io"), "leave out --name-suffix"),
    ],
)
def test_a_wrong_option_is_an_error(
    command: Command, options: tuple[str, ...], expected: str
) -> None:
    done = command("policy", "export", write(POLICY), *options)
    assert (done.code, done.out) == (2, "")
    assert expected in done.err


def test_a_default_that_an_exported_limit_needs_is_reported(command: Command) -> None:
    defaults = "  defaults: {backoffLimit: {value: 2}}\n"
    text = POLICY.replace("parallelism", "backoffLimit") + defaults
    done = command("policy", "export", write(text.replace("maximum: 5", "maximum: 3")))
    assert "policy.yaml:8:14: warning: spec.defaults.backoffLimit: if exported, " in done.err


def test_queueing_controllers_are_exempt(command: Command) -> None:
    account = "kueue-system/kueue-controller-manager"
    done = command("policy", "export", write(POLICY), "--queueing-controllers", account)
    conditions = next(yaml.safe_load_all(done.out))["spec"]["matchConditions"]
    assert "kueue-system:kueue-controller-manager" in conditions[-1]["expression"]
    assert conditions[-1]["name"] == "not-by-queueing-controllers"


def test_no_policy_is_an_error(command: Command) -> None:
    assert command("policy", "export").code == 2
