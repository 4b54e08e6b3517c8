"""Ignore comments in a manifest: their scope, and reports of unused ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.cli.command_runs import Validate
from support.lint.manifests_with_findings import INVALID, SHADOWED, SOUND

RULE = "      - action: FailJob"
ANNOTATED = SHADOWED.replace(
    "name: shadowed", "name: shadowed\n  annotations: {jobsworth.dev/ignore: %s}"
)
WITHOUT_DEADLINE = SOUND.replace("  activeDeadlineSeconds: 3600\n", "")


def on_the_rule(comment: str) -> str:
    return SHADOWED.replace(RULE, f"{RULE}  # {comment}")


@pytest.mark.parametrize(
    "job",
    [
        on_the_rule("jobsworth: ignore[JW101] as agreed"),
        on_the_rule("jobsworth: ignore[rule-shadowed]"),
        on_the_rule("jobsworth: ignore[JW1]"),
        on_the_rule("jobsworth: ignore [ JW1 , JW101 ]"),
        on_the_rule("as agreed # jobsworth: ignore[JW101]"),
        f"# jobsworth: ignore[JW101]\n{SHADOWED}",
        f"# jobsworth: ignore[JW101]\n---\n{SHADOWED}",
        f"---  # jobsworth: ignore[JW101]\n{SHADOWED}",
        f"---\n# why\n\n  # jobsworth: ignore[JW101]\n{SHADOWED}",
        f"# jobsworth: ignore[JW101]\r\n{SHADOWED}".replace("\n", "\r\n"),
        f"\ufeff# jobsworth: ignore[JW101]\n{SHADOWED}",
        ANNOTATED % "JW101",
        ANNOTATED % "'JW101,JW1'",
        ANNOTATED % "' rule-shadowed '",
    ],
)  # fmt: skip
def test_a_finding_can_be_ignored(job: str, validate: Validate) -> None:
    found = validate("-o", "concise", "--info", "job.yaml", files={"job.yaml": job}).found
    assert [code for _, code in found if code != "JW201"] == []


def test_the_key_counts_as_the_place_of_its_value(validate: Validate) -> None:
    job = SOUND.replace(
        "image: registry", "image:  # jobsworth: ignore[JW501]\n            registry"
    )
    job = job.replace("main:1.0", "main")
    assert validate("-o", "concise", "--info", "a.yaml", files={"a.yaml": job}).found == []
    idle = job.replace("JW501", "JW101")
    found = validate("-o", "concise", "--info", "a.yaml", files={"a.yaml": idle}).found
    assert found == [(13, "JW900"), (14, "JW501")]


def test_a_missing_field_is_ignored_at_the_key_that_lacks_it(validate: Validate) -> None:
    job = WITHOUT_DEADLINE.replace("spec:\n  ttl", "spec: # jobsworth: ignore[no-deadline]\n  ttl")
    assert validate("-o", "concise", "--info", "a.yaml", files={"a.yaml": job}).found == []


def test_an_ignore_in_one_document_does_not_reach_another(validate: Validate) -> None:
    files = {"a.yaml": f"{SHADOWED}---\n# jobsworth: ignore[JW101]\n{SHADOWED}---\n{SHADOWED}"}
    found = validate("-o", "concise", "--info", "a.yaml", files=files).found
    length = len(SHADOWED.splitlines()) + 1
    assert found == [(15, "JW101"), (15 + 2 * length + 1, "JW101")]


def test_an_ignore_of_a_list_is_for_all_its_items(validate: Validate) -> None:
    item = "- " + SHADOWED.replace("\n", "\n  ").rstrip()
    listed = f"# jobsworth: ignore[JW101]\napiVersion: v1\nkind: List\nitems:\n{item}\n{item}\n"
    assert validate("-o", "concise", "--info", "a.yaml", files={"a.yaml": listed}).found == []


def test_an_annotation_serves_json(validate: Validate) -> None:
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "a", "annotations": {"jobsworth.dev/ignore": "JW2,JW5"}},
        "spec": {
            "template": {
                "spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}]}
            }
        },
    }
    assert validate("a.json", files={"a.json": json.dumps(job)}).out == ""


@pytest.mark.parametrize(
    ("job", "line", "message"),
    [
        (f"# jobsworth: ignore[JW101]\n{SOUND}", 1, "nothing to ignore: no JW101 finding in this document; remove this ignore"),
        (SOUND.replace("kind: Job", "kind: Job # jobsworth: ignore[JW1]"), 2, "nothing to ignore: no JW1 finding on this line; remove this ignore"),
        (SHADOWED.replace("kind: Job", "kind: Job # jobsworth: ignore[JW101, JW2]"), 2,
         "nothing to ignore: no JW101 or JW2 finding on this line; remove this ignore, or move it to line 15, where it occurs"),
        (SHADOWED.replace(RULE, f"      # jobsworth: ignore[JW101]\n{RULE}"), 15, "or move it to line 16, where it occurs"),
        (f"# jobsworth: ignore[JW999]\n{SOUND}", 1, 'unknown rule "JW999"'),
        (f"# jobsworth: ignore[JW004]\n{INVALID}", 1, '"JW004" is an error of the API server'),
        (f"# jobsworth: ignore\n{SOUND}", 1, "this ignore names no rule; write `# jobsworth: ignore[JW101] reason`"),
        (f"# jobsworth: ignore[]\n{SOUND}", 1, "this ignore names no rule"),
        (f"# jobsworth: ignored[JW101]\n{SOUND}", 1, "this ignore names no rule"),
        (f"# jobsworth: ignore[JW101\n{SOUND}", 1, "this ignore names no rule"),
        (ANNOTATED.replace("shadowed", "x") % "JW201", 5, "nothing to ignore: no JW201 finding in this document"),
        (ANNOTATED % "' , '", 5, "this ignore names no rule; list the rules, separated by commas: JW101,JW201"),
    ],
)  # fmt: skip
def test_an_unused_ignore_is_reported(
    job: str, line: int, message: str, validate: Validate
) -> None:
    done = validate("-o", "concise", "--info", "job.yaml", files={"job.yaml": job})
    (reported,) = (line for line in done.out.splitlines() if "JW900" in line)
    assert reported.startswith(f"job.yaml:{line}:")
    assert ": warning JW900 " in reported
    assert message in reported


@pytest.mark.parametrize(
    "job",
    [
        SOUND.replace("image:", 'command: ["sh", "-c", "# jobsworth: ignore[JW101]"]\n          image:'),
        SOUND.replace("image:", "command: ['# jobsworth: ignore[JW101]']\n          image:"),
        SOUND.replace("image:", "command:\n          - |\n            # jobsworth: ignore[JW101]\n          image:"),
        SOUND.replace("image:", "command:\n          - >-\n\n            a\n            # jobsworth: ignore[JW101]\n\n          image:"),
        SOUND.replace("name: sound", "name: sound#jobsworth: ignore[JW101]").replace("sound#jobsworth: ", "sound-"),
        SOUND + "# see jobsworth: ignore[JW101] in the README\n# jobsworth: is happy with this\n",
        "apiVersion: v1\nkind: ConfigMap # jobsworth: ignore[JW101]\n",
        f"# jobsworth: ignore[JW101, unused-ignore] for the next that edits this\n{SOUND}",
    ],
)  # fmt: skip
def test_other_comments_are_left_alone(job: str, validate: Validate) -> None:
    done = validate("-o", "concise", "--info", "job.yaml", files={"job.yaml": job})
    assert "JW900" not in done.out


def test_a_comment_behind_the_header_of_a_block_counts(validate: Validate) -> None:
    job = SOUND.replace(
        "image:",
        "command:\n          - | # jobsworth: ignore[JW101]\n            # jobsworth: ignore[JW2]\n"
        "          image:",
    )
    found = validate("-o", "concise", "--info", "job.yaml", files={"job.yaml": job}).found
    assert found == [(14, "JW900")]


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ([], ["JW900"]),
        (["--select", "JW2,JW900"], []),
        (["--select", "JW1,JW900"], ["JW900"]),
        (["--ignore", "JW101"], []),
        (["--ignore", "unused-ignore"], []),
        (["--select", "JW1"], []),
    ],
)
def test_an_ignore_is_unused_only_where_its_rule_ran(
    options: list[str], codes: list[str], validate: Validate
) -> None:
    files = {"job.yaml": f"# jobsworth: ignore[JW101]\n{SOUND}"}
    found = validate("-o", "concise", "--info", *options, "job.yaml", files=files).found
    assert [code for _, code in found] == codes


def test_an_ignore_is_not_idle_where_nothing_could_be_decoded(validate: Validate) -> None:
    job = f"# jobsworth: ignore[JW101]\n{SOUND}  misspelt: 1\n"
    found = validate("-o", "concise", "--info", "job.yaml", files={"job.yaml": job}).found
    assert [code for _, code in found] == ["JW001"]


def test_idle_ignores_have_the_severity_that_is_wanted(validate: Validate) -> None:
    files = {
        "job.yaml": f"# jobsworth: ignore[JW101]\n{SOUND}",
        ".jobsworth.yaml": "severity: {unused-ignore: error}\n",
    }
    done = validate("job.yaml", files=files)
    assert done.code == 1


def test_an_ignored_error_does_not_fail(validate: Validate) -> None:
    files = {"job.yaml": SHADOWED, ".jobsworth.yaml": "severity: {JW101: error}\n"}
    assert validate("job.yaml", files=files).code == 1
    ignored = on_the_rule("jobsworth: ignore[JW101]")
    assert validate("job.yaml", files={"job.yaml": ignored}).code == 0


def test_the_example_of_the_documentation_is_right(validate: Validate) -> None:
    page = (Path(__file__).parents[2] / "docs/configuration.md").read_text(encoding="utf-8")
    example = (
        page.partition("## Ignoring findings")[2].partition("```yaml\n")[2].partition("```")[0]
    )
    rest = SOUND.partition("ttlSecondsAfterFinished: 86400\n")[2]
    assert (
        validate("-o", "concise", "--info", "job.yaml", files={"job.yaml": example + rest}).found
        == []
    )
    plain = "".join(line.split("#")[0].rstrip() + "\n" for line in (example + rest).splitlines())
    found = validate("-o", "concise", "--info", "job.yaml", files={"job.yaml": plain}).found
    assert sorted(code for _, code in found) == ["JW201", "JW204"]
