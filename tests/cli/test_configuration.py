"""Configuration files: found above each file, and every mistake in one is reported."""

from __future__ import annotations

import json
import os
import pickle
import sys
from pathlib import Path

import pytest
import yaml

from jobsworth.files.configuration.configuration_document import configuration_schema
from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.configuration.settings import Settings
from support.cli.command_runs import Command, Validate
from support.lint.manifests_with_findings import INVALID, SHADOWED, SOUND
from support.policy.admission_policy_objects import binding
from support.policy.admission_policy_objects import policy as small
from support.policy.policy_file_texts import POLICY

MANAGED = SOUND.replace("spec:\n  active", "spec:\n  managedBy: example.com/x\n  active")
JOB = {"job.yaml": SHADOWED}


def toml(text: str) -> str:
    return f"[tool.jobsworth]\n{text}\n"


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": toml('ignore = ["JW101"]')},
        {".jobsworth.yaml": "ignore: [JW101]\n"},
        {".jobsworth.yaml": "ignore: [rule-shadowed]\n"},
        {".jobsworth.yaml": "ignore: [JW1]\n"},
        {".jobsworth.yaml": "ignore: [JW]\n"},
        {".jobsworth.yaml": "select: [JW2, no-resource-requests]\n"},
        {".jobsworth.yaml": "select: []\n"},
        {".jobsworth.yaml": "per-file-ignores: {job.yaml: [JW101]}\n"},
        {".jobsworth.yaml": "per-file-ignores: {'*.yaml': [JW2, JW1], other: [JW3]}\n"},
        {".jobsworth.yaml": "exclude: ['job.*']\n"},
    ],
)
def test_a_rule_can_be_silenced(files: dict[str, str], validate: Validate) -> None:
    assert validate("-o", "concise", "--info", "job.yaml", files=JOB).found == [(15, "JW101")]
    assert validate("-o", "concise", "--info", "job.yaml", files=files).found == []
    assert validate("-o", "concise", "--info", "--isolated", "job.yaml").found == [(15, "JW101")]


def test_a_severity_can_be_set_and_an_error_fails(validate: Validate) -> None:
    files = {**JOB, ".jobsworth.yaml": "severity: {JW1: info, rule-shadowed: error}\n"}
    done = validate("-o", "concise", "--info", ".", files=files)
    assert done.code == 1
    assert "job.yaml:15:9: error JW101" in done.out


def test_rules_that_are_off_can_be_selected(validate: Validate) -> None:
    files = {**JOB, ".jobsworth.yaml": "select: [default, needless-token]\n"}
    found = validate("-o", "concise", "--info", "job.yaml", files=files).found
    assert (15, "JW101") in found
    assert len(found) > 1


@pytest.mark.parametrize(
    ("version", "form"),
    [
        ("1.29", 'kubernetes-version = "1.29"'),
        ("1.30", "kubernetes-version = 1.30"),
    ],
)
def test_the_release_can_be_set(version: str, form: str, validate: Validate) -> None:
    files = {"job.yaml": MANAGED, "pyproject.toml": toml(form)}
    done = validate("job.yaml", files=files)
    assert (f"after {version}" in done.out) or f"Kubernetes {version} ignores" in done.out


def test_a_release_that_yaml_takes_for_a_number_is_meant_as_it_is_written(
    validate: Validate,
) -> None:
    files = {"job.yaml": MANAGED, ".jobsworth.yaml": "kubernetes-version: 1.30\n"}
    assert "Kubernetes 1.30 ignores" in validate("job.yaml", files=files).out


def test_gates_can_be_set_and_the_command_line_adds_to_them(validate: Validate) -> None:
    gates = "kubernetes-version: '1.31'\nfeature-gates: {JobManagedBy: true}\n"
    files = {"job.yaml": MANAGED, ".jobsworth.yaml": gates}
    assert validate("-o", "concise", "--info", "job.yaml", files=files).found == []
    off = ["--feature-gates", "JobManagedBy=false"]
    assert validate("-o", "concise", "--info", *off, "job.yaml").found == [(6, "JW020")]


PRIVILEGED = {"job.yaml": SOUND + "          securityContext: {privileged: true}\n"}
FORBIDDING = {".jobsworth.yaml": "allow-privileged: false"}


def test_privileged_containers_are_allowed_unless_the_server_forbids_them(
    validate: Validate,
) -> None:
    assert validate("job.yaml", files=PRIVILEGED).code == 0
    assert validate("--allow-privileged", "job.yaml").code == 0
    assert validate("--no-allow-privileged", "job.yaml").code == 1
    assert validate("job.yaml", files=FORBIDDING).code == 1


def test_the_command_line_says_whether_privileged_containers_are_allowed(
    validate: Validate,
) -> None:
    assert validate("--allow-privileged", "job.yaml", files=PRIVILEGED | FORBIDDING).code == 0
    allowing = {".jobsworth.yaml": "allow-privileged: true"}
    assert validate("--no-allow-privileged", "job.yaml", files=allowing).code == 1
    both = validate("--allow-privileged", "--no-allow-privileged", "job.yaml")
    assert both.code == 2
    assert "--allow-privileged and --no-allow-privileged exclude each other" in both.err


def test_the_command_line_counts_more(validate: Validate) -> None:
    files = {**JOB, ".jobsworth.yaml": "ignore: [JW101]\nkubernetes-version: '1.30'\n"}
    assert validate(
        "-o", "concise", "--info", "--select", "JW101", "job.yaml", files=files
    ).found == [(15, "JW101")]
    release = ["--kubernetes-version", "1.31"]
    files = {"managed.yaml": MANAGED}
    assert "Kubernetes 1.31 ignores" in validate(*release, "managed.yaml", files=files).out


def test_rules_can_be_chosen_on_the_command_line(validate: Validate) -> None:
    files = {"job.yaml": SHADOWED.replace("  activeDeadlineSeconds: 3600\n", "")}

    def found(*options: str) -> list[str]:
        done = validate("-o", "concise", "--info", *options, "job.yaml", files=files)
        return [code for _, code in done.found]

    assert found() == ["JW201", "JW101"]
    assert found("--ignore", "JW201") == ["JW101"]
    assert found("--ignore", "JW201", "--ignore", "JW101") == []
    assert found("--ignore=no-deadline,JW1") == []
    assert found("--select", "JW201") == ["JW201"]
    assert found("--select", "JW2,JW1", "--ignore", "JW201") == ["JW101"]


def test_the_nearest_configuration_wins_whole(validate: Validate) -> None:
    files = {
        "pyproject.toml": toml('ignore = ["JW101"]'),
        "a.yaml": SHADOWED,
        "inner/.jobsworth.yaml": "ignore: [JW201]\n",
        "inner/deep/er/b.yaml": SHADOWED,
        "inner/pyproject.toml": toml('ignore = ["JW101"]'),
        "other/pyproject.toml": "[tool.other]\n",
        "other/c.yaml": SHADOWED,
    }
    done = validate("-o", "concise", "--info", ".", files=files)
    assert done.out.count("JW101") == 1
    assert done.out.startswith("inner/deep/er/b.yaml:")


def test_standard_input_has_the_configuration_of_the_current_folder(
    validate: Validate, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    job = tmp_path / "stdin"
    job.write_text(SHADOWED)
    with job.open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        done = validate("-", files={".jobsworth.yaml": "ignore: [JW101]\nexclude: ['*']\n"})
    assert (done.out, done.err) == ("", "1 object in 1 file; 1 valid, 0 invalid\n")


def test_a_configuration_can_be_named(validate: Validate) -> None:
    files = {**JOB, "strict/rules.yaml": "ignore: [JW101]\n", ".jobsworth.yaml": "nonsense: 1\n"}
    assert validate("--config", "strict/rules.yaml", "job.yaml", files=files).code == 0


def test_a_configuration_below_the_root_that_excludes_files_is_named(validate: Validate) -> None:
    files = {
        ".git/HEAD": "",
        ".jobsworth.yaml": "exclude: [vendor]\n",
        "vendor/a.yaml": INVALID,
        "new/.jobsworth.yaml": "exclude: ['*.yaml']\n",
        "new/a.yaml": INVALID,
        "new/deep/b.yaml": INVALID,
        "sound.yaml": SOUND,
    }
    done = validate(".", files=files)
    assert done.code == 0
    assert "3 files excluded (2 by new/.jobsworth.yaml)" in done.err
    given = ["--exclude", "a.yaml", "--exclude", "b.yaml", "--isolated"]
    assert validate(*given, ".").err.endswith("; 3 files excluded\n")


def test_the_summary_names_some_of_many_configurations_that_exclude_files(
    validate: Validate,
) -> None:
    files = {".git/HEAD": "", "sound.yaml": SOUND}
    for number in range(7):
        files[f"{number}/.jobsworth.yaml"] = "exclude: [a.yaml]\n"
        files[f"{number}/a.yaml"] = INVALID
    done = validate(".", files=files)
    assert "4 by" not in done.err
    assert "1 by 4/.jobsworth.yaml and 2 others)" in done.err


def test_the_configuration_of_the_current_folder_is_not_named(
    validate: Validate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "team").mkdir()
    monkeypatch.chdir(tmp_path / "team")
    files = {
        ".git/HEAD": "",
        "team/.jobsworth.yaml": "exclude: [a.yaml]\n",
        "team/a.yaml": INVALID,
        "team/sound.yaml": SOUND,
    }
    assert "1 file excluded\n" in validate(".", files=files).err


def test_a_configuration_below_the_root_that_replaces_a_known_kind_is_named(
    validate: Validate,
) -> None:
    kinds = "kinds: [{apiVersion: 'KIND', kind: ScaledJob, path: spec.x, type: JobSpec}]\n"
    files = {
        ".git/HEAD": "",
        "new/.jobsworth.yaml": kinds.replace("KIND", "keda.sh/*"),
        "new/sound.yaml": SOUND,
    }
    note = "note: new/.jobsworth.yaml describes ScaledJob in place of what jobsworth knows about it"
    assert note in validate("new", files=files).err
    files["new/.jobsworth.yaml"] = kinds.replace("KIND", "example.com/v1")
    assert "note:" not in validate("new", files=files).err
    files[".jobsworth.yaml"] = kinds.replace("KIND", "keda.sh/*")
    assert "note:" not in validate("sound.yaml", files={**files, "sound.yaml": SOUND}).err


def test_patterns_that_match_no_file_are_named(validate: Validate) -> None:
    patterns = (
        "exclude: [vendor, drafts, .github]\nper-file-ignores: {'job*': [JW101], 'Job*': [JW102]}\n"
    )
    files = {".jobsworth.yaml": patterns, "vendor/a.yaml": SOUND, **JOB}
    done = validate(".", files=files)
    note = "note: .jobsworth.yaml: no file matches exclude: drafts and per-file-ignores: Job*"
    assert note in done.err.splitlines()


@pytest.mark.parametrize("path", ["job.yaml", "sub"])
def test_a_run_over_some_files_says_nothing_about_patterns_of_others(
    path: str, validate: Validate
) -> None:
    patterns = "exclude: [vendor]\nper-file-ignores: {'Job*': [JW101]}\n"
    files = {".jobsworth.yaml": patterns, "sub/job.yaml": SOUND, **JOB}
    assert "no file matches" not in validate(path, files=files).err


def test_files_of_another_configuration_match_no_pattern(validate: Validate) -> None:
    files = {".jobsworth.yaml": "exclude: [sub]\n", "sub/.jobsworth.yaml": "", "sub/a.yaml": SOUND}
    assert "no file matches exclude: sub" in validate(".", files={**files, **JOB}).err


def test_excluded_files_are_counted(validate: Validate) -> None:
    files = {
        "vendor/a.yaml": INVALID,
        "b.tpl.yaml": INVALID,
        "deep/vendor/c.yaml": INVALID,
        "jobs/d.yaml": SOUND,
        ".jobsworth.yaml": "exclude: [vendor/, '*.tpl.yaml']\n",
    }
    done = validate(".", files=files)
    assert done.code == 0
    assert done.err == "1 object in 1 file; 1 valid, 0 invalid; 3 files excluded\n"


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        (".jobsworth.yaml", "ignroe: []", ".jobsworth.yaml:1: ignroe: unknown field (did you mean \"ignore\"?)"),
        (".jobsworth.yaml", "file: []", "file: unknown field (known fields: kubernetes-version, feature-gates,"),
        (".jobsworth.yaml", "\nkubernetes-version: 1.09", ".jobsworth.yaml:2: kubernetes-version: \"1.09\" is not one of 1.25 to 1.38"),
        (".jobsworth.yaml", "kubernetes-version: [1]", "kubernetes-version: must be a string or a number, but is a list"),
        (".jobsworth.yaml", "feature-gates: {JobManagedby: true}", "feature-gates[JobManagedby]: unknown feature gate (did you mean \"JobManagedBy\"?)"),
        (".jobsworth.yaml", "feature-gates: {JobManagedBy: 1}", "feature-gates[JobManagedBy]: must be true or false, but is 1"),
        (".jobsworth.yaml", "kubernetes-version: '1.25'\nfeature-gates: {JobManagedBy: true}", "does not exist in Kubernetes 1.25"),
        (".jobsworth.yaml", "allow-privileged: 1", "allow-privileged: must be true or false, but is 1"),
        (".jobsworth.yaml", "select: JW101", "select: must be a list (write [JW101])"),
        (".jobsworth.yaml", "select: [JW888]", "select: unknown rule \"JW888\": use a code (JW101)"),
        (".jobsworth.yaml", "ignore: [rule-shadow]", "ignore: unknown rule \"rule-shadow\": did you mean \"rule-shadowed\"?"),
        (".jobsworth.yaml", "ignore: [xyz]", "use a code (JW101), a name (rule-shadowed) or a prefix (JW1)"),
        (".jobsworth.yaml", "ignore: [JW004]", "\"JW004\" is an error of the API server"),
        (".jobsworth.yaml", "per-file-ignores: {'a/*': [JW090]}", "per-file-ignores[a/*]: \"JW090\" is an error"),
        (".jobsworth.yaml", "per-file-ignores: {'a/*': JW101}", "per-file-ignores[a/*]: must be a list (write [JW101])"),
        (".jobsworth.yaml", "per-file-ignores: [JW101]", "per-file-ignores: must be a mapping, but is a list"),
        (".jobsworth.yaml", "severity: {JW101: fatal}", "severity[JW101]: unsupported value \"fatal\" (supported values: error, warning, info)"),
        (".jobsworth.yaml", "severity: {JW101: eror}", "severity[JW101]: unsupported value \"eror\" (did you mean \"error\"?)"),
        (".jobsworth.yaml", "severity: {JW101: off}", "severity[JW101]: unsupported value false"),
        (".jobsworth.yaml", "severity: {JW003: info}", "severity[JW003]: \"JW003\" is an error"),
        (".jobsworth.yaml", "exclude: a", "exclude: must be a list (write [a])"),
        (".jobsworth.yaml", "- a", "must be a mapping with kubernetes-version, "),
        (".jobsworth.yaml", "a: b: c", ".jobsworth.yaml:1:5: "),
        (".jobsworth.yaml", "ignore: []\nignore: []", ".jobsworth.yaml:2: ignore: duplicate key `ignore` in lines 1 and 2"),
        (".jobsworth.yaml", "ignore: []\n---\nignore: []", "must have one YAML document, got 2"),
        ("pyproject.toml", toml("ignore = 1"), "pyproject.toml: [tool.jobsworth]: ignore: must be a list (write [1])"),
        ("pyproject.toml", toml("ignore = ["), "pyproject.toml: invalid TOML: "),
        ("pyproject.toml", "tool.jobsworth = 1", "pyproject.toml: tool.jobsworth: must be a table, but is 1"),
    ],
)  # fmt: skip
def test_a_bad_configuration_is_an_error_that_says_what_would_be_right(
    file: str, text: str, complaint: str, validate: Validate
) -> None:
    done = validate("jobs/job.yaml", files={"jobs/job.yaml": SOUND, file: text})
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: ")
    assert complaint in done.err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--config", "none.yaml"], "none.yaml: no such file or folder, or a broken"),
        (["--config", "pyproject.toml"], "pyproject.toml: no table [tool.jobsworth]; add one"),
        (["--select", "JW888"], '--select: unknown rule "JW888"'),
        (["--ignore", "JW001"], '--ignore: "JW001" is an error'),
        (["--kubernetes-version", "1.9"], "use 1.25 to 1.38"),
        (["--feature-gates", "JobManagedBy=1"], "Name=true or Name=false"),
    ],
)
def test_a_bad_option_is_an_error(arguments: list[str], complaint: str, validate: Validate) -> None:
    done = validate(*arguments, "job.yaml", files={**JOB, "pyproject.toml": "[project]\n"})
    assert done.code == 2
    assert complaint in done.err


def test_validation_errors_cannot_be_ignored_with_all_the_rest(validate: Validate) -> None:
    files = {"job.yaml": INVALID, ".jobsworth.yaml": "ignore: [JW]\nseverity: {JW0: info}\n"}
    assert validate("-o", "concise", "--info", "job.yaml", files=files).found == [(6, "JW004")]


def test_an_empty_configuration_ends_the_search(validate: Validate) -> None:
    files = {
        "a/job.yaml": SHADOWED,
        ".jobsworth.yaml": "ignore: [JW101]",
        "a/.jobsworth.yaml": "# none\n",
    }
    assert validate("-o", "concise", "--info", "a", files=files).found == [(15, "JW101")]


def test_a_pyproject_without_a_jobsworth_table_is_not_parsed(
    validate: Validate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "tomllib", raising=False)
    monkeypatch.delitem(
        sys.modules, "jobsworth.files.configuration.configuration_file", raising=False
    )
    validate("job.yaml", files={**JOB, "pyproject.toml": "this is [ no TOML"})
    assert "tomllib" not in sys.modules
    assert "jobsworth.files.configuration.configuration_file" not in sys.modules


def test_a_folder_is_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".jobsworth.yaml").write_text("ignore: [JW101]\n")
    opened: list[str] = []
    real = os.open

    def noting(file: str, flags: int) -> int:
        opened.append(file)
        return real(file, flags)

    configurations = Configurations()
    monkeypatch.setattr("os.open", noting)
    settings = {configurations.of(str(tmp_path / "a" / f"{number}.yaml")) for number in range(9)}
    assert len(settings) == 1
    assert opened == [str(tmp_path / ".jobsworth.yaml")]


def test_settings_can_go_to_another_process(tmp_path: Path) -> None:
    (tmp_path / ".jobsworth.yaml").write_text("ignore: [JW101]\nexclude: [x.yaml]\n")
    configurations = Configurations(Settings(release="1.30"))
    here = configurations.of(str(tmp_path / "a.yaml"))
    there = pickle.loads(pickle.dumps(configurations))
    assert there.of(str(tmp_path / "a.yaml")).server == here.server
    assert pickle.loads(pickle.dumps(here)).selection.ignore == here.selection.ignore == {"JW101"}
    assert there.excludes(str(tmp_path / "x.yaml"))


PAGE = Path(__file__).parents[2] / "docs/configuration.md"


def test_the_examples_of_the_documentation_are_right(validate: Validate) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, language in ((".jobsworth.yaml", "yaml"), ("pyproject.toml", "toml")):
        example = page.partition(f"```{language}\n")[2].partition("```")[0]
        assert example
        files = {"job.yaml": SOUND, f"{language}/{name}": example, f"{language}/a.yaml": SOUND}
        policy = POLICY.replace("spec:\n", "spec:\n  enforcement: audit\n", 1)
        files["yaml/policies/house.yaml"] = policy
        files["yaml/cluster/policies/small.yaml"] = yaml.safe_dump_all([small("true"), binding()])
        assert validate(f"{language}/a.yaml", files=files).code == 0


def test_every_key_is_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [key for key in configuration_schema()["properties"] if f"\n{key}:" not in page] == []


def test_many_processes_have_the_same_configuration(validate: Validate) -> None:
    files = {f"a/{number:02}.yaml": SHADOWED for number in range(40)}
    files |= {f"b/{number:02}.yaml": SHADOWED for number in range(40)}
    files |= {"b/.jobsworth.yaml": "severity: {JW101: info}\nexclude: [0*.yaml]\n"}
    done = validate("--jobs", "2", "-o", "concise", "--info", ".", files=files)
    severities = [line.split()[1] for line in done.out.splitlines()]
    assert severities == ["warning"] * 40 + ["info"] * 30
    assert "10 files excluded" in done.err


EACH_CONFIDENCE = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: a
  annotations: {cluster-autoscaler.kubernetes.io/safe-to-evict: "false"}
spec:
  podFailurePolicy:
    rules: [{action: Count, onExitCodes: {operator: In, values: [3]}}]
  template: {spec: {restartPolicy: Never, containers: [{name: a, image: "a:1"}]}}
"""
CONFIDENCE_OF = {"JW112": "opinion", "JW201": "likely", "JW227": "certain"}


@pytest.mark.parametrize(
    ("confidence", "reported"),
    [
        ("certain", {"JW227"}),
        ("likely", {"JW227", "JW201"}),
        ("opinion", {"JW227", "JW201", "JW112"}),
    ],
)
@pytest.mark.parametrize("by_file", [False, True], ids=["option", "file"])
def test_rules_below_the_wanted_confidence_are_not_reported(
    confidence: str, reported: set[str], by_file: bool, command: Command
) -> None:
    files, options = {"job.yaml": EACH_CONFIDENCE}, ["--min-confidence", confidence]
    if by_file:
        files[".jobsworth.yaml"] = f"min-confidence: {confidence}\n"
        options = []
    written = command("validate", "-o", "json", *options, "job.yaml", files=files).out
    findings = json.loads(written)["results"][0]["findings"]
    found = {each["code"]: each["confidence"] for each in findings if each["source"] == "lint"}
    assert {code: found.get(code) for code in CONFIDENCE_OF} == {
        code: word if code in reported else None for code, word in CONFIDENCE_OF.items()
    }


def test_a_selected_rule_is_reported_whatever_its_confidence(command: Command) -> None:
    options = ("--min-confidence", "certain", "--select", "JW112", "-o", "concise", "--info")
    assert (
        "JW112"
        in command("validate", *options, "job.yaml", files={"job.yaml": EACH_CONFIDENCE}).out
    )


def test_the_published_schema_is_current() -> None:
    published = (PAGE.parents[1] / "schemas/configuration.json").read_text(encoding="utf-8")
    assert json.loads(published) == configuration_schema()


def test_a_key_without_a_value_counts_as_absent(validate: Validate) -> None:
    files = {"job.yaml": SOUND, ".jobsworth.yaml": "select:\nkinds:\nkubernetes-version: 1.30\n"}
    assert validate("job.yaml", files=files).code == 0
