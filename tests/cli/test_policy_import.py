"""`jobsworth policy import`, run as a user runs it."""

from __future__ import annotations

import json

import yaml

from support.cli.command_runs import Command

POLICY = """
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: labels
spec:
  rules:
    - name: team
      match: {any: [{resources: {kinds: [Pod]}}]}
      validate:
        message: Set a team.
        pattern: {metadata: {labels: {team: "?*"}}}
    - name: images
      match: {any: [{resources: {kinds: [Pod]}}]}
      verifyImages: [{}]
"""


def test_what_is_imported_is_printed_and_what_is_not_is_listed(command: Command) -> None:
    done = command("policy", "import", "kyverno.yaml", files={"kyverno.yaml": POLICY})
    assert done.code == 0
    (policy,) = yaml.safe_load_all(done.out)
    assert policy["kind"] == "JobPolicy"
    assert "kyverno.yaml:13:7: spec.rules[1]: not imported: it has verifyImages" in done.err
    assert "1 policy: 0 imported, 1 in part, 0 not" in done.err
    strict = command("policy", "import", "--strict", "kyverno.yaml", files={"kyverno.yaml": POLICY})
    assert strict.code == 1
    checked = command("policy", "check", "made.yaml", files={"made.yaml": done.out})
    assert checked.code == 0


def test_the_report_for_programs(command: Command) -> None:
    done = command("policy", "import", "-o", "json", "k.yaml", files={"k.yaml": POLICY})
    (policy,) = json.loads(done.out)["policies"]
    assert policy["name"] == "labels"
    assert policy["left"] == [{"field": "spec.rules[1]", "reason": "it has verifyImages"}]


def test_a_file_without_policies_of_kyverno_is_an_error(command: Command) -> None:
    done = command("policy", "import", "job.yaml", files={"job.yaml": "kind: Job\n"})
    assert done.code == 2
    assert "no ClusterPolicy, Policy or ValidatingPolicy of Kyverno found" in done.err
