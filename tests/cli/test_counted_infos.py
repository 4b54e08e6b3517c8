"""Info findings that the text report only counts: the same number as when they are shown."""

from __future__ import annotations

import json
import re

import pytest

from support.cli.command_runs import Validate
from support.lint.manifests_with_findings import SHADOWED, SOUND

BARE = SOUND.replace("  activeDeadlineSeconds: 3600\n  ttlSecondsAfterFinished: 86400\n", "")
IGNORING = f"# jobsworth: ignore-file JW201\n{BARE}---\n{BARE}"
PATCH = BARE.replace("spec:\n  template:", "spec:\n  $patch: replace\n  template:")
TEMPLATED = BARE.replace("name: sound", "name: '{{ .Values.name }}'")
BROKEN = BARE.replace("restartPolicy: Never", "restartPolicy: Always")
OTHER = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"
POLICY = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata: {name: finite}
spec:
  match: [{namespaces: ["*"]}]
  rules: {JW201: warn}
"""


def summary(text: str) -> str:
    """Return the summary of a run without how to see what it only counts."""
    return re.sub(r" \(show with --info\)", "", text)


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("one object", BARE, []),
        ("several", f"{BARE}---\n{SHADOWED}---\n{OTHER}---\n{BARE}", []),
        ("an ignoring comment in another document", IGNORING, []),
        ("a patch", PATCH, []),
        ("an invalid object", BROKEN, []),
        ("a template", TEMPLATED, ["--mixed"]),
        ("all infos fail", BARE, ["--fail-on", "info"]),
        ("a selection", BARE, ["--select", "JW2"]),
    ],
)
def test_as_many_are_counted_as_shown(
    name: str, text: str, options: list[str], validate: Validate
) -> None:
    files = {"job.yaml": text}
    counted, shown = (
        validate(*options, *more, "job.yaml", files=files) for more in ([], ["--info"])
    )
    assert summary(counted.err).splitlines()[0] == summary(shown.err).splitlines()[0]
    assert counted.code == shown.code
    report = validate("-o", "json", *options, "job.yaml").loaded
    infos = report["summary"]["findings"]["info"]
    assert (f"{infos} info finding" in counted.err) == (infos > 0)


def test_what_a_policy_reports_is_not_counted_again(validate: Validate) -> None:
    files = {"job.yaml": BARE, "policy.yaml": POLICY}
    options = ("--policy", "policy.yaml", "job.yaml")
    counted, shown = validate(*options, files=files), validate("--info", *options)
    assert summary(counted.err).splitlines()[0] == summary(shown.err).splitlines()[0]
    assert "JW201" in counted.out


@pytest.mark.slow
def test_counts_come_from_other_processes(validate: Validate) -> None:
    files = {f"{number:03}.yaml": BARE for number in range(100)}
    first = validate("-j", "2", ".", files=files)
    alone = validate("-j", "1", ".")
    assert first.err == alone.err
    assert "200 info findings (show with --info)" in first.err


def test_json_has_all_of_them(validate: Validate) -> None:
    report = validate("-o", "json", "job.yaml", files={"job.yaml": BARE})
    (result,) = json.loads(report.out)["results"]
    assert [each["code"] for each in result["findings"]] == ["JW201", "JW204"]
