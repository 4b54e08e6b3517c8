"""`jobsworth validate --admission-policy`: what admission policies would answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from support.cli.command_runs import Command, CommandResult
from support.lint.manifests_with_findings import SOUND
from support.policy.admission_policy_objects import (
    binding,
    config_map,
    mutating_binding,
    mutating_policy,
    policy,
)

LINES = {line.strip(): number for number, line in enumerate(SOUND.splitlines(), start=1)}


def validated(
    command: Command, *objects: Any, arguments: tuple[str, ...] = ("-o", "concise")
) -> CommandResult:
    """Validate a Job without other findings with some policies."""
    files = {"job.yaml": SOUND, "cluster/all.yaml": yaml.safe_dump_all(objects)}
    options = ("--info", "--admission-policy", "cluster", *arguments)
    return command("validate", *options, "job.yaml", files=files)


def test_a_denial_is_an_error_at_its_field_in_the_words_of_the_api_server(command: Command) -> None:
    rule = {"expression": "object.spec.activeDeadlineSeconds < 60", "message": "too long"}
    done = validated(command, policy(rule), binding())
    assert done.code == 1
    line = LINES["activeDeadlineSeconds: 3600"]
    assert f"job.yaml:{line}:" in done.out
    assert (
        "error JP060 spec.activeDeadlineSeconds: ValidatingAdmissionPolicy 'small' with binding "
        "'everywhere' denied request: too long"
    ) in done.out


@pytest.mark.parametrize(("action", "severity"), [("Warn", "warning"), ("Audit", "info")])
def test_other_actions_fail_no_run(command: Command, action: str, severity: str) -> None:
    done = validated(command, policy("false"), binding(validationActions=[action]))
    assert done.code == 0
    assert f" {severity} JP060 " in done.out


@pytest.mark.parametrize("expression", ["request.namespace", "object.metadata.namespace"])
def test_a_manifest_without_a_namespace_is_sent_to_the_given_one(
    command: Command, expression: str
) -> None:
    text = f"string({expression})"
    rule = {"expression": f"{text} == 'default'", "messageExpression": text}
    for arguments, expected in ((("-n", "team-a"), "denied request: team-a"), ((), "")):
        done = validated(command, policy(rule), binding(), arguments=("-o", "concise", *arguments))
        assert (expected in done.out) if expected else ("JP060" not in done.out)


def test_what_only_a_cluster_knows_is_reported_and_does_not_pass(command: Command) -> None:
    done = validated(command, policy("request.userInfo.username == 'ci'"), binding())
    assert done.code == 0
    assert "warning JP061" in done.out
    assert "was not evaluated: it reads request.userInfo, and the user is not known" in done.out


def test_params_are_read_from_the_same_folder(command: Command) -> None:
    limits = config_map("limits", "default", most="60")
    rule = "object.spec.activeDeadlineSeconds <= int(params.data.most)"
    kind = {"apiVersion": "v1", "kind": "ConfigMap"}
    ref = {"name": "limits", "parameterNotFoundAction": "Deny"}
    done = validated(command, policy(rule, paramKind=kind), binding(paramRef=ref), limits)
    assert "error JP060" in done.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind: ValidatingAdmissionPolicy\nspec: [", "cluster/broken.yaml:2:"),
        (
            yaml.safe_dump(policy("false", name="twice"))
            + f"spec: {json.dumps(policy('true')['spec'])}\n",
            "spec",
        ),
    ],
    ids=["no-yaml", "a-key-twice"],
)
def test_no_policy_of_a_folder_is_lost_in_silence(
    command: Command, text: str, message: str
) -> None:
    files = {
        "job.yaml": SOUND,
        "cluster/all.yaml": yaml.safe_dump_all([policy("true"), binding()]),
        "cluster/broken.yaml": text,
    }
    done = command("validate", "--admission-policy", "cluster", "job.yaml", files=files)
    assert done.code == 2
    assert "cluster/broken.yaml:" in done.err
    assert message in done.err


def test_a_policy_without_binding_is_noted(command: Command) -> None:
    done = validated(command, policy("false"))
    assert done.code == 0
    assert "ValidatingAdmissionPolicy small has no binding, so it is not enforced" in done.err


def test_an_expression_that_the_release_refuses_is_an_error_with_its_place(
    command: Command,
) -> None:
    done = validated(
        command,
        policy("semver('1.2.3') == semver('1.2.3')"),
        binding(),
        arguments=("--kubernetes-version", "1.30"),
    )
    assert done.code == 2
    assert "cluster/all.yaml:" in done.err
    assert "spec.validations[0].expression" in done.err
    assert "undeclared reference to 'semver'" in done.err


def test_a_path_without_policies_is_an_error(command: Command) -> None:
    done = validated(command, config_map())
    assert done.code == 2
    assert "no admission policy or binding of admissionregistration.k8s.io/v1" in done.err


def test_the_report_for_programs_names_the_policy(command: Command) -> None:
    done = validated(command, policy("false"), binding(), arguments=("-o", "json"))
    (document,) = json.loads(done.out)["results"]
    found = document["findings"]
    assert [(each["source"], each["policy"]) for each in found] == [("policy", "small")]


def spec(fields: str) -> str:
    return f"Object{{spec: Object.spec{{{fields}}}}}"


def test_a_mutated_object_is_judged(command: Command) -> None:
    changes = mutating_policy(spec("activeDeadlineSeconds: 30"))
    rule = {"expression": "object.spec.activeDeadlineSeconds >= 60", "message": "too short"}
    done = validated(command, changes, mutating_binding(), policy(rule), binding())
    assert "denied request: too short" in done.out


def test_an_error_about_what_a_policy_set_names_the_policy(command: Command) -> None:
    changes = mutating_policy(spec("activeDeadlineSeconds: -1"))
    done = validated(command, changes, mutating_binding(), arguments=())
    assert "must be greater than or equal to 0" in done.out
    assert "MutatingAdmissionPolicy small changes this field." in done.out


def test_a_mutation_that_fails_is_an_error_in_the_words_of_the_api_server(command: Command) -> None:
    done = validated(command, mutating_policy(spec("suspend: 'yes'")), mutating_binding())
    assert done.code == 1
    assert (
        "error JP060 policy 'small' with binding 'small' denied request: error applying patch: failed"
        " to convert patch object to typed object: .spec.suspend: expected boolean, got &{yes}"
    ) in done.out


def test_a_mutation_that_depends_on_the_user_is_reported(command: Command) -> None:
    labels = "Object{metadata: Object.metadata{labels: {'user': request.userInfo.username}}}"
    done = validated(command, mutating_policy(labels), mutating_binding())
    assert "warning JP061" in done.out
    assert "MutatingAdmissionPolicy 'small' with binding 'small' was not applied" in done.out


def test_policies_are_reinvoked_after_the_defaults_of_job_policies(command: Command) -> None:
    job_policy = """
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata: {name: deadline}
spec:
  defaults: {labels: {queue: {value: small}}}
  limits: {labels: {late: {required: true}}}
"""
    late = "has(object.metadata.labels) && 'queue' in object.metadata.labels ? %s : Object{}"
    changes = mutating_policy(
        late % "Object{metadata: Object.metadata{labels: {'late': 'yes'}}}",
        reinvocationPolicy="IfNeeded",
    )
    files = {
        "job.yaml": SOUND,
        "policy.yaml": job_policy,
        "cluster/all.yaml": yaml.safe_dump_all([changes, mutating_binding()]),
    }
    arguments = ("--policy", "policy.yaml", "--admission-policy", "cluster", "job.yaml")
    assert command("validate", *arguments, files=files).code == 0
    printed = command("default", *arguments, files=files)
    assert "late: " in printed.out


def test_a_lint_finding_about_what_a_policy_sets_is_not_reported(command: Command) -> None:
    bare = SOUND.replace("  activeDeadlineSeconds: 3600\n", "")
    changes = mutating_policy(spec("activeDeadlineSeconds: 30"))
    files = {
        "job.yaml": bare,
        "cluster/all.yaml": yaml.safe_dump_all([changes, mutating_binding()]),
    }
    alone = command("validate", "--info", "job.yaml", files=files)
    assert "JW201" in alone.out
    done = command("validate", "--info", "--admission-policy", "cluster", "job.yaml", files=files)
    assert "JW201" not in done.out


def test_default_reports_a_denial_and_prints_the_other_objects(command: Command) -> None:
    condition = [{"name": "name", "expression": "object.metadata.name != 'other'"}]
    changes = mutating_policy(spec("suspend: 'yes'"), matchConditions=condition)
    files = {
        "job.yaml": SOUND,
        "other.yaml": SOUND.replace("name: ", "name: other #", 1),
        "cluster/all.yaml": yaml.safe_dump_all([changes, mutating_binding()]),
    }
    done = command(
        "default", "--admission-policy", "cluster", "job.yaml", "other.yaml", files=files
    )
    assert done.code == 1
    assert "job.yaml:1:1: error: policy 'small' with binding 'small' denied request:" in done.err
    assert done.out.count("kind: Job") == 1
