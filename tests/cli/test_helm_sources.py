"""Findings of `helm template … | jobsworth validate -` in the templates that rendered the documents."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from support.cli.command_runs import Command, CommandResult

CHART = "apiVersion: v2\nname: etl\nversion: 0.1.0\n"
TEMPLATE = """\
{{- /* The nightly load. */}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-load
spec:
  {{- if .Values.retries }}
  backoffLimit: {{ .Values.retries }}
  {{- else }}
  backoffLimit: {{ .Values.attempts }}
  {{- end }}
  template:
    spec:
      restartPolicy: Always
      containers:
        - name: main
          image: registry.example.com/etl:1
"""
RENDERED = """\
---
# Source: etl/templates/config.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: x
---
# Source: etl/templates/job.yaml
apiVersion: batch/v1
kind: Job
metadata:
  name: nightly-load
spec:
  backoffLimit: -1
  template:
    spec:
      restartPolicy: Always
      containers:
        - name: main
          image: registry.example.com/etl:1
"""
ONLY = ("--select", "JW0")


@pytest.fixture
def piped(command: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    def piped(text: str, *options: str, files: dict[str, str] | None = None) -> CommandResult:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return command("validate", *ONLY, *options, "-", files=files)

    return piped


def chart(folder: str) -> dict[str, str]:
    prefix = f"{folder}/" if folder else ""
    return {f"{prefix}Chart.yaml": CHART, f"{prefix}templates/job.yaml": TEMPLATE}


@pytest.mark.parametrize("folder", ["etl", "charts/loader", "", "a/b/c"])
def test_the_chart_is_found_by_its_name(folder: str, piped: Command) -> None:
    file = f"{folder}/templates/job.yaml".lstrip("/")
    done = piped(RENDERED, "-o", "concise", files=chart(folder))
    assert done.code == 1
    assert done.out.splitlines() == [
        f"{file}: error JW004 spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0 "
        "(Job nightly-load, line 14 of the rendered manifest)",
        f"{file}:14:22: error JW003 spec.template.spec.restartPolicy: Required value: valid values: "
        '"OnFailure", "Never" (Always is for Pods that never finish; a Job\'s Pods must end)',
    ]


def test_the_text_report_numbers_the_line_that_it_names(piped: Command) -> None:
    done = piped(RENDERED, files=chart("etl"))
    assert (
        "etl/templates/job.yaml (line 14 of the rendered manifest): error: Job nightly-load: "
        "spec.backoffLimit [JW004]\n"
    ) in done.out
    assert "  14 |   backoffLimit: -1\n" in done.out
    assert "etl/templates/job.yaml:14:22: error: Job nightly-load: " in done.out
    assert "  14 |       restartPolicy: Always\n     |                      ^^^^^^\n" in done.out


def test_annotations_and_alerts_are_in_the_template(piped: Command) -> None:
    first, second = piped(RENDERED, "-o", "github", files=chart("etl")).out.splitlines()
    assert first.startswith("::error file=etl/templates/job.yaml,title=JW004 ")
    assert first.endswith("(Job nightly-load, line 14 of the rendered manifest)")
    assert second.startswith("::error file=etl/templates/job.yaml,line=14,col=22,title=")
    results = piped(RENDERED, "-o", "sarif").loaded["runs"][0]["results"]
    first_place, second_place = (each["locations"][0]["physicalLocation"] for each in results)
    assert first_place == {"artifactLocation": {"uri": "etl/templates/job.yaml"}}
    assert second_place["artifactLocation"] == {"uri": "etl/templates/job.yaml"}
    assert second_place["region"]["startLine"] == 14
    assert "line 14 of the rendered manifest" in results[0]["message"]["text"]
    assert not any("fixes" in each for each in results)  # they would change the rendered text


def test_the_json_report_has_both_places(piped: Command) -> None:
    results = piped(RENDERED, "-o", "json", files=chart("etl")).loaded["results"]
    (job,) = [each for each in results if each["kind"] == "Job"]
    assert (job["file"], job["origin"]) == ("<stdin>", {"file": "etl/templates/job.yaml"})
    assert [(each["line"], each["column"], each["origin"]) for each in job["findings"]] == [
        (14, 17, {"file": "etl/templates/job.yaml", "line": None, "column": None}),
        (17, 22, {"file": "etl/templates/job.yaml", "line": 14, "column": 22}),
    ]


def test_test_cases_are_in_the_template(piped: Command) -> None:
    done = piped(RENDERED, "-o", "junit", files=chart("etl"))
    assert 'file="etl/templates/job.yaml"' in done.out


def test_a_template_with_another_indentation_has_its_own_column(piped: Command) -> None:
    template = TEMPLATE.replace("      restartPolicy: Always", "  restartPolicy: Always  # no")
    files = {**chart("etl"), "etl/templates/job.yaml": template}
    rendered = RENDERED.replace("Always\n", "Always  # no\n")
    assert (
        "etl/templates/job.yaml:14:18: error" in piped(rendered, "-o", "concise", files=files).out
    )


def test_the_line_of_another_value_is_found_by_its_key(piped: Command) -> None:
    template = TEMPLATE.replace("  backoffLimit: {{ .Values.attempts }}\n", "")
    files = {**chart("etl"), "etl/templates/job.yaml": template}
    done = piped(RENDERED, "-o", "concise", files=files)
    assert "etl/templates/job.yaml:8:3: error JW004 spec.backoffLimit" in done.out


def test_a_text_that_stands_there_twice_has_no_line(piped: Command) -> None:
    files = {**chart("etl"), "etl/templates/job.yaml": TEMPLATE + "# restartPolicy\n" + TEMPLATE}
    done = piped(RENDERED, "-o", "concise", files=files)
    assert "etl/templates/job.yaml:" in done.out
    assert "etl/templates/job.yaml:14" not in done.out
    assert "line 17 of the rendered manifest" in done.out


def test_subcharts_are_folders_of_their_chart_or_of_its_dependencies(piped: Command) -> None:
    rendered = RENDERED.replace("etl/templates/job", "app/charts/loader/templates/job")
    app = "name: app\ndependencies:\n  - {name: etl, alias: loader, repository: 'file://../etl'}\n"
    local = {"deploy/app/Chart.yaml": app, **chart("deploy/etl")}
    done = piped(rendered, "-o", "concise", files=local)
    assert done.out.startswith("deploy/etl/templates/job.yaml: error")
    done = piped(rendered, "-o", "concise", files=chart("deploy/app/charts/loader"))
    assert done.out.startswith("deploy/app/charts/loader/templates/job.yaml: error")


def test_two_charts_of_the_name_are_not_told_apart(piped: Command) -> None:
    done = piped(RENDERED, "-o", "concise", files={**chart("a"), **chart("b")})
    assert done.out.startswith("<stdin>:14:17: error")


@pytest.mark.parametrize(
    "source",
    [
        "../etl/templates/job.yaml",
        "/etl/templates/job.yaml",
        "etl/../../outside/job.yaml",
        "etl//templates/job.yaml",
        "etl/templates/missing.yaml",
        "etl/templates",
        "etl",
        "etl/templates/job.yaml\0",
        "",
    ],
)
def test_a_comment_leads_to_no_file_outside_of_a_chart(source: str, piped: Command) -> None:
    rendered = RENDERED.replace("etl/templates/job.yaml", source)
    files = {**chart("etl"), "outside/job.yaml": TEMPLATE}
    assert "<stdin>:" in piped(rendered, "-o", "concise", files=files).out


def test_a_link_out_of_the_folder_is_not_followed(
    piped: Command, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "job.yaml").write_text(TEMPLATE)
    piped(RENDERED, files={"etl/Chart.yaml": CHART, "etl/templates/config.yaml": ""})
    Path("etl/templates/job.yaml").symlink_to(outside / "job.yaml")
    assert piped(RENDERED, "-o", "concise").out.startswith("<stdin>:14:17: error")


def test_the_name_of_standard_input_wins(piped: Command) -> None:
    done = piped(RENDERED, "-o", "concise", "--stdin-filename", "app.yaml", files=chart("etl"))
    assert done.out.startswith("app.yaml:14:17: error")


def test_a_file_keeps_its_own_places(command: Command) -> None:
    files = {**chart("etl"), "rendered.yaml": RENDERED}
    done = command("validate", *ONLY, "-o", "concise", "rendered.yaml", files=files)
    assert done.out.startswith("rendered.yaml:14:17: error")


def test_an_unreadable_document_is_in_its_template(piped: Command) -> None:
    done = piped(RENDERED.replace("backoffLimit: -1", "a: ["), "-o", "concise", files=chart("etl"))
    assert done.code == 2
    assert done.out.startswith("etl/templates/job.yaml: error JW090 ")
