"""`jobsworth validate --policy` and `jobsworth default --policy`."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
import yaml

from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.configuration.settings import Settings
from support.cli.command_runs import Command
from support.policy.policy_file_texts import FILES, JOB, POLICY

LINES = {line.strip(): number for number, line in enumerate(JOB.splitlines(), start=1)}


def test_a_policy_violation_is_an_error_at_its_place(command: Command) -> None:
    done = command(
        "validate", "-o", "concise", "--info", "--policy", "policies", "job.yaml", files=FILES
    )
    assert done.code == 1
    assert (
        f"job.yaml:{LINES['backoffLimit: 9']}:17: error JP002 spec.backoffLimit: "
        "Invalid value: 9: must be less than or equal to 5 (policy house-rules)"
    ) in done.out


def test_an_unknown_field_switches_no_policy_off(command: Command) -> None:
    files = {**FILES, "job.yaml": JOB.replace("spec:\n", "spec:\n  notYetInvented: 1\n", 1)}
    done = command(
        "validate", "-o", "concise", "--info", "--policy", "policies", "job.yaml", files=files
    )
    assert [code for _, code in done.found] == ["JW201", "JW001", "JP002"]


def test_a_wrong_type_switches_no_other_limit_off(command: Command) -> None:
    files = {**FILES, "job.yaml": JOB.replace("spec:\n", "spec:\n  parallelism: two\n", 1)}
    done = command(
        "validate", "-o", "concise", "--info", "--policy", "policies", "job.yaml", files=files
    )
    assert [code for _, code in done.found] == ["JW201", "JW002", "JP002"]


def test_without_policies_it_passes(command: Command) -> None:
    assert command("validate", "job.yaml", files=FILES).code == 0


def test_the_report_has_the_source_and_the_severity_of_each_finding(command: Command) -> None:
    done = command("validate", "-o", "json", "--policy", "policies", "job.yaml", files=FILES)
    (result,) = done.loaded["results"]
    reported = [
        (one["code"], one["severity"], one["field"])
        for one in result["findings"]
        if one["source"] == "policy"
    ]
    # The time to live is defaulted before it is validated.
    assert reported == [
        ("JW201", "warning", "spec.activeDeadlineSeconds"),
        ("JP002", "error", "spec.backoffLimit"),
    ]
    assert result["status"] == "invalid"


@pytest.mark.parametrize("form", ["text", "concise", "json", "sarif", "junit", "github"])
def test_every_report_can_have_them(command: Command, form: str) -> None:
    done = command("validate", "-o", form, "--policy", "policies", "job.yaml", files=FILES)
    assert done.code == 1
    assert "must be less than or equal to 5" in done.out


def test_a_default_that_would_do_harm_is_a_warning(command: Command) -> None:
    value = JOB.replace("Never", "OnFailure").replace("  backoffLimit: 9\n", "")
    files = {**FILES, "job.yaml": value}
    done = command(
        "validate", "-o", "concise", "--info", "--policy", "policies", "job.yaml", files=files
    )
    assert "warning JP050 spec.podFailurePolicy: cannot set the default: it requires" in done.out


def test_policy_violations_cannot_be_ignored(command: Command) -> None:
    ignored = f"# jobsworth: ignore[JW201] we never do this\n{JOB}"
    files = {**FILES, "job.yaml": ignored}
    arguments = ("validate", "-o", "concise", "--info", "--ignore", "JW201", "--policy", "policies")
    done = command(*arguments, "job.yaml", files=files)
    assert "JW201 spec.activeDeadlineSeconds: A Pod that hangs" in done.out
    assert "(policy house-rules)" in done.out


def test_a_policy_violation_is_not_reported_twice(command: Command) -> None:
    done = command(
        "validate", "-o", "concise", "--info", "--policy", "policies", "job.yaml", files=FILES
    )
    assert done.out.count("JW201") == 1


def test_an_update_is_evaluated_by_what_it_changes(command: Command) -> None:
    arguments = ("validate", "--policy", "policies", "--against", "deployed", "job.yaml")
    assert command(*arguments, files={**FILES, "deployed/job.yaml": JOB}).code == 0
    other = JOB.replace("backoffLimit: 9", "backoffLimit: 8")
    assert command(*arguments, files={**FILES, "deployed/job.yaml": other}).code == 1


def test_a_manifest_that_passes_is_warned_of_if_a_plain_create_is_denied(command: Command) -> None:
    policy = POLICY.replace("  defaults:\n", "  defaults:\n    backoffLimit: {value: 3}\n")
    job = JOB.replace("  backoffLimit: 9\n", "")
    arguments = ("validate", "-o", "concise", "--info", "--policy", "house.yaml", "job.yaml")
    done = command(*arguments, files={"house.yaml": policy, "job.yaml": job})
    assert done.code == 0
    assert (
        "warning JP051 spec.backoffLimit: passes if it is applied, but kubectl create is denied, because "
        "the cluster cannot tell which fields you wrote: Invalid value: 6: must be less than or equal to 5"
    ) in done.out
    as_json = command("validate", "-o", "json", "--policy", "house.yaml", "job.yaml").out
    assert '"reason": "DeniedAfterCreate"' in as_json
    text = command("validate", "--policy", "house.yaml", "job.yaml").out
    assert (
        "hint: Write the field, or use kubectl apply. jobsworth policy check names the default to change."
    ) in text
    default = "backoffLimit: {value: 3, when: ifServerDefault}"
    better = {"house.yaml": policy.replace("backoffLimit: {value: 3}", default)}
    assert "JP051" not in command(*arguments, files=better).out
    written = {"job.yaml": job.replace("spec:\n", "spec:\n  backoffLimit: 4\n", 1)}
    assert "JP051" not in command(*arguments, files={"house.yaml": policy, **written}).out


def test_several_policies_are_one_set(command: Command) -> None:
    second = POLICY.replace("house-rules", "others").replace("maximum: 5", "maximum: 7")
    files = {**FILES, "more.yaml": second}
    done = command(
        "validate", "-o", "concise", "--info", "--policy", "policies", "--policy", "more.yaml", "job.yaml",
        files=files,
    )  # fmt: skip
    assert done.out.count("JP002") == 2


def test_the_configuration_names_policies_from_its_own_folder(command: Command) -> None:
    files = {
        "rules/house.yaml": POLICY,
        ".jobsworth.yaml": "policy: [rules]\n",
        "deep/down/job.yaml": JOB,
    }
    assert command("validate", "deep/down/job.yaml", files=files).code == 1
    assert command("validate", "--isolated", "deep/down/job.yaml").code == 0
    lenient = POLICY.replace("maximum: 5", "maximum: 50")
    done = command("validate", "--policy", "lenient.yaml", "deep", files={"lenient.yaml": lenient})
    assert done.code == 0


def test_a_configuration_whose_policies_cannot_be_used_is_an_error(command: Command) -> None:
    files = {".jobsworth.yaml": "policy: [nowhere]\n", "job.yaml": JOB}
    done = command("validate", "job.yaml", files=files)
    assert done.code == 2
    assert "nowhere: error: no such file or folder; check the path" in done.err


@pytest.mark.slow
def test_many_files_are_validated_in_several_processes(command: Command) -> None:
    files = {f"jobs/{number}.yaml": JOB for number in range(70)}
    done = command(
        "validate", "-q", "-o", "concise", "--info", "--jobs", "2", "--policy", "policies", "jobs",
        files={**FILES, **files},
    )  # fmt: skip
    assert done.out.count("JP002") == 70


def test_another_process_reads_the_policies_itself(command: Command) -> None:
    command("validate", "job.yaml", files=FILES)
    configurations = Configurations(Settings(policy=("policies",)))
    assert configurations.of("job.yaml").policies is not None
    again = pickle.loads(pickle.dumps(configurations)).of("job.yaml")
    assert [policy.name for policy in again.policies.policies] == ["house-rules"]


def test_a_value_that_cannot_be_decoded_is_left_to_the_api_servers_words(command: Command) -> None:
    files = {**FILES, "job.yaml": JOB.replace("backoffLimit: 9", "backoffLimit: nine")}
    done = command(
        "validate", "-o", "concise", "--info", "--policy", "policies", "job.yaml", files=files
    )
    assert [code for _, code in done.found] == ["JW201", "JW002"]


def test_other_documents_are_skipped_as_ever(command: Command) -> None:
    files = {**FILES, "other.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n"}
    done = command("validate", "--policy", "policies", "other.yaml", files=files)
    assert done.code == 0


def test_default_prints_what_the_mutating_webhook_would_leave(command: Command) -> None:
    done = command("default", "--policy", "policies", "job.yaml", files=FILES)
    spec = yaml.safe_load(done.out)["spec"]
    assert done.code == 0
    assert spec["ttlSecondsAfterFinished"] == 3600
    assert spec["podFailurePolicy"]["rules"][0]["action"] == "Ignore"
    assert spec["podReplacementPolicy"] == "Failed"
    assert spec["template"]["spec"]["dnsPolicy"] == "ClusterFirst"


def test_default_warns_of_what_was_left_out(command: Command) -> None:
    files = {**FILES, "job.yaml": JOB.replace("Never", "OnFailure")}
    done = command("default", "-o", "json", "--policy", "policies", "job.yaml", files=files)
    assert "podFailurePolicy" not in json.loads(done.out)["items"][0]["spec"]
    assert done.err.startswith("job.yaml:5:1: warning: policy house-rules: default for")


BROKEN = {
    "not YAML": ("spec: [\n", "policies/house.yaml:1:7: error: "),
    "an unknown field": (
        POLICY.replace("maximum: 5", "maximun: 5"),
        "policies/house.yaml:15:29: error: spec.limits.backoffLimit.maximun: unknown field (did you mean "
        '"maximum"?)',
    ),
    "a key twice": (
        POLICY.replace("  message:", "  message: A\n  message:"),
        "policies/house.yaml:8:3: error: spec.message: ",
    ),
    "an expression": (
        f"{POLICY}  expressions:\n    - expression: objct.x == 1\n",
        "policies/house.yaml:19:19: error: spec.expressions[0].expression: at line 1, column 1 of the "
        'expression: unknown variable objct (did you mean "object"?)',
    ),
    "a default that a limit refuses": (
        POLICY.replace("  defaults:\n", "  defaults:\n    backoffLimit: {value: 6}\n"),
        "policies/house.yaml:9:5: error: spec.defaults.backoffLimit: the limits reject this default",
    ),
    "another version": (
        POLICY.replace("v1alpha1", "v2"),
        "policies/house.yaml:2:13: error: apiVersion: ",
    ),
    "no version": (
        POLICY.replace("apiVersion: jobsworth.dev/v1alpha1\n", ""),
        "error: apiVersion: must be set",
    ),
}


@pytest.mark.parametrize("what", list(BROKEN))
@pytest.mark.parametrize("verb", ["validate", "default"])
def test_a_policy_that_cannot_be_used_is_reported_with_its_place(
    command: Command, verb: str, what: str
) -> None:
    text, expected = BROKEN[what]
    done = command(
        verb, "--policy", "policies", "job.yaml", files={**FILES, "policies/house.yaml": text}
    )
    assert done.code == 2
    assert expected in done.err


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("nowhere", "nowhere: error: no such file or folder; check the path"),
        ("job.yaml", "job.yaml:1:1: error: no JobPolicy of jobsworth.dev/v1alpha1 found in it"),
    ],
)
def test_a_path_without_policies_is_an_error(command: Command, path: str, expected: str) -> None:
    done = command("validate", "--policy", path, "job.yaml", files=FILES)
    assert done.code == 2
    assert expected in done.err


def test_a_folder_may_have_manifests_and_tests_beside_policies(command: Command) -> None:
    files = {
        "policies/job.yaml": JOB,
        "policies/house_test.yaml": "broken: [\n",
        "policies/.git/config.yaml": "broken: [\n",
        "policies/kustomization.yml": "resources: []\n",
    }
    done = command("validate", "-q", "--policy", "policies", "job.yaml", files={**FILES, **files})
    assert "JP002" in done.out


def test_the_same_name_in_two_files_is_reported(command: Command, tmp_path: Path) -> None:
    files = {**FILES, "policies/second.yaml": POLICY}
    done = command("validate", "--policy", "policies", "job.yaml", files=files)
    assert (
        'policies/second.yaml:5:9: error: metadata.name: "house-rules" is already the name'
        in done.err
    )


def test_with_mixed_only_manifests_are_validated(command: Command) -> None:
    files = {
        **FILES,
        "chart/job.yaml": "{{- if .Values.enabled }}\n" + JOB + "{{- end }}\n",
        "ci.yaml": "on: push\njobs: {}\n",
    }
    done = command(
        "validate", "--mixed", "-o", "concise", "--info", "--policy", "policies",
        "chart/job.yaml", "ci.yaml", "policies/house.yaml", "job.yaml", files=files,
    )  # fmt: skip
    assert {line.split(":")[0] for line in done.out.splitlines() if "JP0" in line} == {"job.yaml"}


def test_fixes_are_made_beside_what_only_a_policy_rejects(command: Command) -> None:
    codes = "    - action: FailJob\n      onExitCodes: {operator: In, values: [7, 3]}\n"
    unsorted = JOB.replace("spec:\n", f"spec:\n  podFailurePolicy:\n    rules:\n{codes}", 1)
    files = {**FILES, "job.yaml": unsorted}
    done = command(
        "validate", "--fix", "-o", "concise", "--policy", "policies", "job.yaml", files=files
    )
    assert "fixed: job.yaml:" in done.err
    assert "values: [3, 7]" in Path("job.yaml").read_text("utf-8")
    assert "JP002" in done.out
