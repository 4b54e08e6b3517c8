"""`--profile`, and the keys of a configuration: the policies that ship with jobsworth."""

from __future__ import annotations

import pytest

from support.cli.command_runs import Command
from support.policy.policy_file_texts import JOB

TOO_MANY = JOB.replace("backoffLimit: 9", "backoffLimit: 21")
FILES = {"job.yaml": TOO_MANY}
OWN = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata: {name: NAME}
spec:
  limits: {backoffLimit: {maximum: 15}}
"""


def reported(command: Command, *arguments: str, files: dict[str, str] | None = None) -> list[str]:
    """The severity, the code and the policy of each violation."""
    done = command("validate", "-o", "json", *arguments, "job.yaml", files=files or {})
    return [
        f"{one['severity']} {one['code']} {one['message'].partition('(policy ')[2].rstrip(')')}"
        for one in done.loaded["results"][0]["findings"]
        if one["source"] == "policy"
    ]


def test_without_a_profile_none_applies(command: Command) -> None:
    assert reported(command, files=FILES) == []


def test_a_profile_warns(command: Command) -> None:
    assert reported(command, "--profile", "baseline", files=FILES) == ["warning JP002 baseline"]
    assert command("validate", "--profile", "baseline", "job.yaml").code == 0


@pytest.mark.parametrize(
    ("enforcement", "severity", "code"), [("deny", "error", 1), ("audit", "info", 0)]
)
def test_its_enforcement_can_be_set(
    command: Command, enforcement: str, severity: str, code: int
) -> None:
    options = ("--profile", "baseline", "--profile-enforcement", enforcement)
    assert reported(command, *options, files=FILES) == [f"{severity} JP002 baseline"]
    assert command("validate", *options, "job.yaml").code == code


def test_a_rule_of_the_effect_warn_only_warns(command: Command) -> None:
    short = JOB.replace("backoffLimit: 9", "ttlSecondsAfterFinished: 5")
    options = ("--profile", "baseline", "--profile-enforcement", "deny")
    assert reported(command, *options, files={"job.yaml": short}) == ["warning JW205 baseline"]


def test_strict_includes_baseline(command: Command) -> None:
    found = reported(command, "--profile", "strict", files=FILES)
    assert "warning JP002 baseline" in found
    assert "warning JP004 strict" in found


def test_a_profile_and_policies_apply_together(command: Command) -> None:
    options = ("--profile", "baseline", "--policy", "own.yaml")
    files = {**FILES, "own.yaml": OWN.replace("NAME", "own")}
    assert sorted(reported(command, *options, files=files)) == [
        "error JP002 own", "warning JP002 baseline",
    ]  # fmt: skip


def test_a_policy_replaces_that_of_the_profile_with_its_name(command: Command) -> None:
    files = {**FILES, "own.yaml": OWN.replace("NAME", "baseline")}
    options = ("--policy", "own.yaml", "--profile")
    assert reported(command, *options, "baseline", files=files) == ["error JP002 baseline"]
    found = reported(command, *options, "strict")
    assert "error JP002 baseline" in found
    assert "warning JP002 baseline" not in found
    assert "warning JP004 strict" in found


@pytest.mark.parametrize(
    "files",
    [
        {".jobsworth.yaml": "profile: baseline\nprofile-enforcement: deny\n"},
        {
            "pyproject.toml": '[tool.jobsworth]\nprofile = "baseline"\nprofile-enforcement = "deny"\n'
        },
    ],
    ids=["yaml", "toml"],
)
def test_a_configuration_can_name_it_and_the_command_line_takes_precedence(
    command: Command, files: dict[str, str]
) -> None:
    assert reported(command, files={**FILES, **files}) == ["error JP002 baseline"]
    assert reported(command, "--profile", "none") == []
    assert reported(command, "--profile-enforcement", "audit") == ["info JP002 baseline"]
    assert "warning" not in "".join(reported(command, "--profile", "strict"))
    assert reported(command, "--isolated") == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "profile: basline",
            '.jobsworth.yaml:1: profile: unsupported value "basline" (did you mean "baseline"?)',
        ),
        (
            "profile: 7",
            ".jobsworth.yaml:1: profile: unsupported value 7 (supported values: baseline, strict, none)",
        ),
        (
            "profile-enforcement: on",
            "profile-enforcement: unsupported value true (supported values: ",
        ),
    ],
)
def test_a_wrong_value_in_a_configuration_is_an_error(
    command: Command, text: str, complaint: str
) -> None:
    done = command("validate", "job.yaml", files={**FILES, ".jobsworth.yaml": text})
    assert done.code == 2
    assert complaint in done.err


def test_a_wrong_value_on_the_command_line_is_an_error(command: Command) -> None:
    done = command("validate", "--profile", "lenient", "job.yaml", files=FILES)
    assert done.code == 2
    assert "'lenient' is not one of 'baseline', 'strict', 'none'" in done.err


def test_an_enforcement_without_a_profile_is_an_error(command: Command) -> None:
    done = command("validate", "--profile-enforcement", "deny", "job.yaml", files=FILES)
    assert done.code == 2
    assert "--profile-enforcement has no effect without a profile" in done.err


@pytest.mark.slow
def test_several_processes_apply_the_same(command: Command) -> None:
    files = {f"many/{number}.yaml": TOO_MANY for number in range(70)}
    options = ("-o", "concise", "--info", "-j", "2", "--profile", "baseline")
    done = command("validate", *options, "many", files=files)
    assert done.out.count("JP002") == 70
