"""No text from a file under review reaches the terminal or the log of a command as it is."""

from __future__ import annotations

import json
import unicodedata
from xml.etree import ElementTree

import pytest

from support.cli.command_runs import Command

EVIL = "a\x1b]0;title\x07\u202e\x9b\n::error title=x::y\r\n::stop-commands::z\n##[error]w"
QUOTED = json.dumps(EVIL)  # a string of YAML, too

JOB = f"""apiVersion: batch/v1
kind: Job
metadata: {{name: {QUOTED}, labels: {{{QUOTED}: {QUOTED}}}}}
spec:
  {QUOTED}: 1
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: main, image: busybox, imagePullPolicy: {QUOTED}}}]
"""
SOUND_JOB = JOB.replace(f"  {QUOTED}: 1\n", "").replace(f", imagePullPolicy: {QUOTED}", "")
MISTYPED = SOUND_JOB.replace("restartPolicy: Never", f"restartPolicy: [{QUOTED}]")
WORDS = json.dumps("".join(each for each in EVIL if each not in "\x1b\x07\x9b"))
"""What a policy may have in its texts."""
POLICY = f"""apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata: {{name: house}}
spec:
  description: {WORDS}
  message: {WORDS}
  defaults: {{annotations: {{team: {{value: {QUOTED}}}}}}}
  limits: {{backoffLimit: {{maximum: 3}}}}
"""
CASES = f"""apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicyTest
spec:
  policies: [policy.yaml]
  cases:
    - {{name: {QUOTED}, manifest: job.yaml, expect: {{verdict: allow, warn: [{QUOTED}]}}}}
"""
BASELINE = json.dumps(
    {
        "version": 1,
        "findings": [
            dict.fromkeys(("file", "code", "kind", "namespace", "name", "field"), EVIL),
        ],
    }
)
FILES = {
    "job.yaml": JOB,
    "mistyped.yaml": MISTYPED,
    "unreadable.yaml": f"a: {QUOTED}\nb: *{EVIL}",
    "policy.yaml": POLICY,
    "bad-policy.yaml": POLICY.replace("maximum", QUOTED).replace("limits", QUOTED),
    "refused-policy.yaml": POLICY.replace(WORDS, QUOTED),
    "house_test.yaml": CASES,
    "bad_test.yaml": CASES.replace("verdict", QUOTED),
    "known.json": BASELINE,
    "config.yaml": f"{QUOTED}: 1",
    "rules.yaml": f"select: [{QUOTED}]",
}

COMMAND_LINES = [
    ["validate", "job.yaml", "mistyped.yaml", "unreadable.yaml"],
    ["validate", "-o", "concise", "job.yaml", "mistyped.yaml", "unreadable.yaml"],
    ["validate", "-o", "json", "job.yaml", "unreadable.yaml"],
    ["validate", "-o", "sarif", "job.yaml", "unreadable.yaml"],
    ["validate", "-o", "junit", "job.yaml", "unreadable.yaml"],
    ["validate", "-o", "github", "job.yaml", "unreadable.yaml"],
    ["validate", "--statistics", "job.yaml"],
    ["validate", "--policy", "policy.yaml", "job.yaml"],
    ["validate", "--policy", "bad-policy.yaml", "job.yaml"],
    ["validate", "--policy", "refused-policy.yaml", "job.yaml"],
    ["validate", "--baseline", "known.json", "job.yaml"],
    ["validate", "--config", "config.yaml", "job.yaml"],
    ["validate", "--config", "rules.yaml", "job.yaml"],
    ["validate", "--config", "unreadable.yaml", "job.yaml"],
    ["validate", EVIL],
    ["validate", "--git-ref", EVIL],
    ["validate", f"--{EVIL}", "job.yaml"],
    ["default", "job.yaml", "mistyped.yaml", "unreadable.yaml", "-o", "json"],
    ["default", "--policy", "policy.yaml", "job.yaml", "-o", "json"],
    ["policy", "check", "policy.yaml"],
    ["policy", "check", "bad-policy.yaml", "unreadable.yaml"],
    ["policy", "explain", "policy.yaml", "job.yaml", "mistyped.yaml", "unreadable.yaml"],
    ["policy", "test", "house_test.yaml", "-v"],
    ["policy", "test", "-o", "json", "house_test.yaml"],
    ["policy", "test", "-o", "junit", "house_test.yaml"],
    ["policy", "test", "bad_test.yaml"],
    ["rule", EVIL],
]


@pytest.mark.parametrize(
    "arguments", COMMAND_LINES, ids=lambda given: " ".join(given).replace(EVIL, "EVIL")
)
def test_a_command_escapes_what_it_prints_of_a_file(arguments: list[str], command: Command) -> None:
    done = command(*arguments, files=FILES)
    assert done.out + done.err
    for line in (done.out + done.err).split("\n"):
        assert not [each for each in line if unicodedata.category(each) in ("Cc", "Cf")], line
        # A report for GitHub has commands, but none of a file's.
        assert not line.lstrip().startswith(("::stop-commands", "::error title=x")), line
        assert "##[" not in line, line


def test_a_file_named_like_a_workflow_command_does_not_begin_a_line(command: Command) -> None:
    for output in ("text", "concise"):
        done = command("validate", "-o", output, "::error::x.yaml", files={"::error::x.yaml": JOB})
        assert done.out.startswith(r"\x3a:error::x.yaml:")


def test_the_junit_report_of_policy_tests_is_well_formed_for_any_name(command: Command) -> None:
    done = command("policy", "test", "-o", "junit", "house_test.yaml", files=FILES)
    root = ElementTree.fromstring(done.out)
    (case,) = root.iter("testcase")
    assert case.get("name", "").startswith(r"a\x1b]0;title\x07\u202e")
