"""Charts and overlays, rendered by tools that stand in for helm and kustomize."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from jobsworth.api.api_server import NEWEST_RELEASE
from jobsworth.files import programs
from jobsworth.manifests import read_text
from support.cli.command_runs import Validate

CHART = "apiVersion: v2\nname: etl\nversion: 0.1.0\n"
TEMPLATE = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}
spec:
  backofLimit: {{ .Values.retries }}
  template:
    spec:
      restartPolicy: Alway
      containers:
      - name: etl
        image: registry.example/etl:1
"""
RENDERED = "---\n# Source: etl/templates/job.yaml\n" + TEMPLATE.replace(
    "{{ .Release.Name }}", "x"
).replace("{{ .Values.retries }}", "3")
BASE = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: load
spec:
  template:
    spec:
      restartPolicy: Always
      containers:
      - name: etl
        image: registry.example/etl:1
"""
BUILT = BASE.replace(
    "  name: load",
    "  annotations:\n    config.kubernetes.io/origin: |\n      path: ORIGIN\n  name: prod-load",
)
CRON_JOB = """\
apiVersion: batch/v1
kind: CronJob
metadata:
  name: report
spec:
  {schedule}
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
          - name: etl
            image: registry.example/etl:1
"""
REPOSITORY = {
    "charts/etl/Chart.yaml": CHART,
    "charts/etl/templates/job.yaml": TEMPLATE,
    "base/kustomization.yaml": "resources: [job.yaml]\n",
    "base/job.yaml": BASE,
    "overlays/prod/kustomization.yaml": "resources: [../../base]\nnamePrefix: prod-\n",
}


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a folder for tools at the start of the PATH, without others."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


def install(folder: Path, name: str, script: str) -> None:
    tool = folder / name
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)


def prints(folder: Path, name: str, text: str) -> None:
    output = folder / f"{name}.out"
    output.write_text(text)
    install(folder, name, f'echo "$@" > {folder}/{name}.args\ncat {output}')


def write(files: dict[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def commit() -> None:
    user = ["-c", "user.name=A tester", "-c", "user.email=tester@example.com"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "All"]):
        subprocess.run(["git", *user, *arguments], check=True)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a chart, a base and an overlay."""
    current = tmp_path / "repository"
    current.mkdir()
    monkeypatch.chdir(current)
    write(REPOSITORY)
    return current


def test_a_finding_of_a_chart_leads_to_the_line_of_its_template(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(REPOSITORY)
    prints(tools, "helm", RENDERED)
    done = validate("-o", "concise", "--helm", "charts/etl", "--set", "a=b", "--values", "v.yaml")
    assert done.code == 1
    assert "charts/etl/templates/job.yaml:6:3: error JW001 spec.backofLimit" in done.out
    assert "charts/etl/templates/job.yaml:9:" in done.out
    given = (tools / "helm.args").read_text().strip()
    assert (
        given
        == f"template release-name charts/etl --kube-version {NEWEST_RELEASE} --values v.yaml --set a=b"
    )


def test_a_finding_of_an_overlay_leads_to_the_file_of_its_resource(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(REPOSITORY)
    origin = os.path.join(os.path.realpath(tmp_path), "base/job.yaml")
    prints(tools, "kustomize", BUILT.replace("ORIGIN", origin))
    done = validate("-o", "concise", "--kustomize", "overlays/prod")
    assert done.code == 1
    assert "base/job.yaml:8:22: error JW003 spec.template.spec.restartPolicy" in done.out


WITH_VARIABLES = BUILT.replace(
    "image: registry.example/etl:1\n",
    "image: registry.example/etl:1\n        env:\n"
    "        - {name: A, value: '1'}\n        - {name: A, value: '2'}\n",
)
SECOND = "{name: A, value: '2'}"
CONTAINER = "/spec/template/spec/containers/0"


@pytest.mark.parametrize(
    ("patch", "place"),
    [
        (
            f"|-\n    - op: add\n      path: {CONTAINER}/env/1\n      value:\n        {SECOND}\n",
            "6:7",
        ),
        (f"|-\n    - op: add\n      path: {CONTAINER}/env/-\n      value: {SECOND}\n", "6:7"),
        (f"|\n\n    - op: add\n      path: {CONTAINER}/env/-\n      value: {SECOND}\n", "7:7"),
        (
            f"|-\n    - op: replace\n      path: {CONTAINER}/env\n      value:\n"
            f"        - {{name: A, value: '1'}}\n        - {SECOND}\n",
            "8:11",
        ),
        (f">-\n    - op: add\n      path: {CONTAINER}/env/-\n      value: {SECOND}\n", "3:10"),
        (f'"[{{op: add, path: {CONTAINER}/env/1, value: {SECOND}}}]"\n', "3:10"),
    ],
)
def test_an_operation_in_a_kustomization_leads_to_its_line(
    validate: Validate, folder: Path, tools: Path, patch: str, place: str
) -> None:
    kustomization = f"resources: [../../base]\npatches:\n- patch: {patch}  target: {{kind: Job}}\n"
    write({"overlays/prod/kustomization.yaml": kustomization})
    prints(tools, "kustomize", WITH_VARIABLES.replace("ORIGIN", os.path.realpath("base/job.yaml")))
    done = validate("-o", "concise", "--kustomize", "overlays/prod")
    (line,) = (each for each in done.out.splitlines() if "JW505" in each)
    assert line.startswith(f"overlays/prod/kustomization.yaml:{place}: warning")


PATCHED = BUILT.replace("spec:\n", "spec:\n  backoffLimit: -2\n", 1)


@pytest.mark.parametrize(
    ("patch", "place", "note"),
    [
        (
            "kind: Job\nmetadata: {name: etl}\nspec:\n  backoffLimit: -2\n",
            "overlays/prod/patch.yaml:4:17: ",
            "overlay overlays/prod, from base/job.yaml)",
        ),
        (
            "- {op: add, path: /spec/backoffLimit, value: -2}\n",
            "overlays/prod/patch.yaml:1:46: ",
            "overlay overlays/prod, from base/job.yaml)",
        ),
        (
            '[{"op": "add", "path": "/spec/backoffLimit", "value": -2}]',
            "overlays/prod/patch.yaml:1:55: ",
            "overlay overlays/prod, from base/job.yaml)",
        ),
        (
            "- {op: add, path: /spec/backoffLimit, value: -3}\n",
            "overlays/prod/kustomization.yaml: ",
            "overlay overlays/prod, from base/job.yaml, line ",
        ),
        (
            "- {op: add, path: /spec/backoffLimit, value: -2}\n"
            "- {op: replace, path: /spec/backoffLimit, value: -2}\n",
            "overlays/prod/kustomization.yaml: ",
            "overlay overlays/prod, from base/job.yaml, line ",
        ),
    ],
)
def test_a_value_of_a_patch_leads_to_the_patch_or_else_to_the_overlay(
    validate: Validate, tools: Path, patch: str, place: str, note: str
) -> None:
    """Of thirty overlays of a base, the report names the one with the error; code scanning opens its file."""
    write(REPOSITORY)
    kustomization = "resources: [../../base]\npatches: [{path: patch.yaml, target: {kind: Job}}]\n"
    write({"overlays/prod/kustomization.yaml": kustomization, "overlays/prod/patch.yaml": patch})
    origin = os.path.realpath("base/job.yaml")
    prints(tools, "kustomize", PATCHED.replace("ORIGIN", origin))
    done = validate("-o", "concise", "--kustomize", "overlays/prod")
    (line,) = (each for each in done.out.splitlines() if "JW004" in each)
    assert line.startswith(place)
    assert note in line
    log = validate("-o", "sarif", "--kustomize", "overlays/prod").loaded
    (error,) = (each for each in log["runs"][0]["results"] if each["ruleId"] == "JW004")
    physical = error["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == place.partition(":")[0]
    assert "overlay overlays/prod" in error["message"]["text"]


@pytest.mark.parametrize("written", ['"Alway"', "'Alway'", "Alway  # so far", '"Alway" # so far'])
def test_quotes_and_comments_do_not_hide_the_line_of_a_patch(
    validate: Validate, tools: Path, written: str
) -> None:
    write(REPOSITORY)
    spec = f"spec:\n  template:\n    spec:\n      restartPolicy: {written}\n"
    patch = f"kind: Job\nmetadata: {{name: load}}\n{spec}"
    inside = patch.replace("\n", "\n    ")
    built = BUILT.replace("Always", "Alway").replace("ORIGIN", os.path.realpath("base/job.yaml"))
    prints(tools, "kustomize", built)
    for text, file, place in (
        ("[{path: patch.yaml}]", "patch.yaml", "6:22"),
        (f"\n- patch: |-\n    {inside}", "kustomization.yaml", "9:26"),
    ):
        kustomization = f"resources: [../../base]\npatches: {text}\n"
        files = {"kustomization.yaml": kustomization, "patch.yaml": patch}
        write({f"overlays/prod/{name}": files[name] for name in {"kustomization.yaml", file}})
        done = validate("-o", "concise", "--kustomize", "overlays/prod")
        assert done.out.startswith(f"overlays/prod/{file}:{place}: error JW005 ")


def test_file_and_line_of_a_test_case_are_those_of_its_finding(
    validate: Validate, tools: Path
) -> None:
    write(REPOSITORY)
    kustomization = "resources: [../../base]\npatches: [{path: patch.yaml, target: {kind: Job}}]\n"
    patch = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: load}\nspec:\n  backoffLimit: -2\n"
    write({"overlays/prod/kustomization.yaml": kustomization, "overlays/prod/patch.yaml": patch})
    origin = os.path.realpath("base/job.yaml")
    built = PATCHED.replace("ORIGIN", origin).replace("Always", "Never")
    for built_name, place in (
        ("prod-load", ("overlays/prod/patch.yaml", "5")),
        ("prod_load", ("overlays/prod/kustomization.yaml", None)),  # it comes first, without a line
    ):
        prints(tools, "kustomize", built.replace("prod-load", built_name))
        report = ElementTree.fromstring(validate("-o", "junit", "--render", "overlays").out)
        cases = {case.get("name"): case for case in report.iter("testcase")}
        case = cases[f"Job {built_name} (overlay overlays/prod)"]
        assert (case.get("file"), case.get("line")) == place
        assert case.get("classname") == "base/job.yaml"
        (skipped,) = cases["Job load"].iter("skipped")
        assert skipped.get("message") == "a patch of a Job, or a Job that is not of batch/v1"


LATEST = BUILT.replace("Always", "Never").replace("etl:1", "etl:latest")


@pytest.mark.parametrize(
    ("base", "patch", "count"),
    [
        ("LATEST", "", 1),
        ("LATEST  # jobsworth: ignore[JW501] a mirror", "", 0),
        ("LATEST  # jobsworth: ignore[JW204] another rule", "", 1),
        ("other:1  # jobsworth: ignore[JW501] a mirror", "LATEST", 1),
        ("other:1", "LATEST  # jobsworth: ignore[JW501] a mirror", 0),
    ],
)
def test_a_comment_in_its_source_ignores_a_finding_of_an_overlay(
    validate: Validate, tools: Path, base: str, patch: str, count: int
) -> None:
    def job(image: str) -> str:
        image = image.replace("LATEST", "registry.example/etl:latest")
        return BASE.replace("Always", "Never").replace("registry.example/etl:1", image)

    write(REPOSITORY)
    patches = f"resources: [../../base]\npatches: {'[{path: p.yaml}]' if patch else '[]'}\n"
    write({"base/job.yaml": job(base), "overlays/prod/kustomization.yaml": patches})
    write({"overlays/prod/p.yaml": job(patch)} if patch else {})
    prints(tools, "kustomize", LATEST.replace("ORIGIN", os.path.realpath("base/job.yaml")))
    for option in ("--kustomize", "--render"):
        done = validate("-o", "concise", "--select", "JW501,JW900", option, "overlays/prod")
        assert done.out.count("JW501") == count, done.out
        assert "JW900" not in done.out


@pytest.mark.parametrize(
    ("added", "place"),
    [("", "base/job.yaml:5:1"), ("  completions: 2\n", "overlays/prod/kustomization.yaml")],
)
def test_a_missing_field_leads_to_the_resource_unless_a_patch_adds_others(
    validate: Validate, tools: Path, added: str, place: str
) -> None:
    write(REPOSITORY)
    built = LATEST.replace("spec:\n", f"spec:\n{added}", 1)
    prints(tools, "kustomize", built.replace("ORIGIN", os.path.realpath("base/job.yaml")))
    command = ("-o", "concise", "--select", "JW201", "--info", "--kustomize", "overlays/prod")
    assert validate(*command).out.startswith(f"{place}: info JW201")
    write(
        {"base/job.yaml": BASE.replace("spec:", "spec: # jobsworth: ignore[JW201] it is long", 1)}
    )
    assert ("JW201" in validate(*command).out) == bool(added)


def test_an_ignore_in_a_patch_that_is_not_rendered_is_not_reported_as_unused(
    validate: Validate, folder: Path
) -> None:
    patch = BASE.replace("etl:1", "etl:latest  # jobsworth: ignore[JW501] a mirror")
    files = {"kustomization.yaml": "patches: [{path: p.yaml}]\n", "p.yaml": patch}
    write({f"overlays/prod/{name}": text for name, text in files.items()})
    assert "JW900" not in validate("-o", "concise", "overlays").out


def test_a_comment_for_a_whole_resource_ignores_findings_of_its_overlay_but_no_violation(
    validate: Validate, tools: Path
) -> None:
    write(REPOSITORY)
    comment = "# jobsworth: ignore[JW501,JW201] as agreed\n"
    kind = "apiVersion: jobsworth.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: house}\n"
    write(
        {
            "base/job.yaml": comment + BASE,
            "policy.yaml": f"{kind}spec: {{rules: {{JW501: deny}}}}\n",
        }
    )
    prints(tools, "kustomize", LATEST.replace("ORIGIN", os.path.realpath("base/job.yaml")))
    command = ("-o", "concise", "--info", "--kustomize", "overlays/prod")
    plain = validate(*command).out
    assert [code for code in ("JW201", "JW204", "JW501") if code in plain] == ["JW204"]
    assert "error JW501" in validate(*command, "--policy", "policy.yaml").out


def test_a_folder_is_rendered_with_all_its_charts_and_overlays(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(REPOSITORY)
    prints(tools, "helm", RENDERED)
    origin = os.path.join(os.path.realpath(tmp_path), "base/job.yaml")
    prints(tools, "kustomize", BUILT.replace("ORIGIN", origin))
    done = validate("-o", "concise", "--render", "charts", "base", "overlays")
    lines = done.out.splitlines()
    assert len([line for line in lines if line.startswith("base/job.yaml:8:")]) == 1
    assert any(line.startswith("charts/etl/templates/job.yaml:6:") for line in lines)
    assert "JW090" not in done.out


@pytest.mark.parametrize(
    ("changed", "rendered"),
    [
        ("charts/etl/values.yaml", ["helm"]),
        ("charts/etl/templates/_helpers.tpl", ["helm"]),
        ("charts/common/values.yaml", ["helm"]),
        ("base/job.yaml", ["kustomize"]),
        ("overlays/prod/kustomization.yaml", ["kustomize"]),
        ("notes.txt", []),
    ],
)
def test_what_a_branch_changes_is_rendered(
    changed: str, rendered: list[str], validate: Validate, tools: Path, folder: Path
) -> None:
    depends = "dependencies: [{name: common, repository: 'file://../common'}]\n"
    common = {"charts/common/Chart.yaml": CHART.replace("etl", "common") + "type: library\n"}
    write({**common, "charts/etl/Chart.yaml": CHART + depends})
    commit()
    prints(tools, "helm", RENDERED)
    prints(tools, "kustomize", BUILT.replace("ORIGIN", os.path.realpath("base/job.yaml")))
    with Path(changed).open("a") as file:
        file.write("# changed\n")
    done = validate("--git-ref", "HEAD", "--mixed", "--render", "-o", "concise")
    assert [tool for tool in ("helm", "kustomize") if (tools / f"{tool}.args").exists()] == rendered
    assert ("charts/etl/templates/job.yaml:6:" in done.out) == ("helm" in rendered)
    assert ("base/job.yaml:8:" in done.out) == ("kustomize" in rendered)
    assert done.code == (1 if rendered else 0)


def test_rendered_objects_are_new_objects_for_a_git_ref_and_a_note_says_so(
    validate: Validate, tools: Path, folder: Path
) -> None:
    prints(tools, "helm", RENDERED)
    commit()
    (folder / "charts/etl/values.yaml").write_text("retries: 5\n")
    done = validate("--git-ref", "HEAD", "--render")
    note = "note: 1 rendered object was validated as new, not as an update of HEAD"
    assert done.err.splitlines().count(note) == 1
    assert "as new" not in validate("--git-ref", "HEAD").err
    assert "as new" not in validate("--helm", "charts/etl").err


def test_fixes_of_what_is_rendered_are_withheld(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(REPOSITORY)
    prints(tools, "helm", RENDERED)
    done = validate("--helm", "charts/etl", "--fix")
    assert done.code == 1
    assert "not fixed:" in done.err or "fixed:" not in done.err
    assert Path("charts/etl/templates/job.yaml").read_text() == TEMPLATE


def test_a_tool_that_fails_is_the_error_of_its_chart(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(REPOSITORY)
    install(tools, "helm", "echo 'Error: missing dependency' >&2\nexit 1")
    done = validate("--helm", "charts/etl")
    assert done.code == 2
    assert "helm cannot render it: Error: missing dependency" in done.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--helm", "."), "helm is not installed, or not in the PATH"),
        (("--kustomize", "."), "neither kustomize nor kubectl is installed"),
        (("--set", "a=b", "."), "--values and --set require --helm CHART or --render"),
    ],
)
def test_a_missing_tool_is_a_sentence(
    validate: Validate,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "kustomization.yaml").write_text("resources: []\n")
    done = validate(*arguments)
    assert (done.code, words in done.out + done.err) == (2, True)


def test_a_missing_chart_is_a_wrong_path(validate: Validate) -> None:
    done = validate("--helm", "no-chart")
    assert (done.code, "no such file or folder; check the path" in done.out) == (2, True)


# What leads out of a repository: no tool is started.


SECRET = "token: TOP-SECRET-TOKEN\n"


def links(folder: Path, names: dict[str, str]) -> None:
    for name, target in names.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(folder / target)


@pytest.fixture
def repository(tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a repository with a chart and an overlay, beside it secrets, and tools that say that they ran."""
    folder = tmp_path / "repository"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    write(
        {
            "../secret/values.yaml": SECRET,
            "../secret/kustomization.yaml": "resources: []\n",
            **REPOSITORY,
        }
    )
    for name in ("helm", "kustomize"):
        install(tools, name, f"touch {tools}/ran\ncat {tmp_path}/secret/values.yaml")
    return folder


CHART_LINKS = {
    "a file": {"charts/etl/leak.txt": "../secret/values.yaml"},
    "a folder": {"charts/etl/files": "../secret"},
    "the values": {"charts/etl/values.yaml": "../secret/values.yaml"},
    "a template": {"charts/etl/templates/x.yaml": "../secret/values.yaml"},
    "a chart in the chart": {"charts/etl/charts/db": "../secret"},
    "a file of a chart in the chart": {"charts/etl/charts/db/x": "../secret/values.yaml"},
    "a link behind a link": {"charts/etl/files": "shared", "shared/x": "../secret/values.yaml"},
    "a hidden file": {"charts/etl/.x": "../secret/values.yaml"},
    "a broken link": {"charts/etl/x": "../not-there-yet"},
}


@pytest.mark.parametrize("found", CHART_LINKS.values(), ids=CHART_LINKS)
@pytest.mark.parametrize("option", ["--helm", "--render"])
def test_a_chart_with_a_link_out_of_the_repository_is_not_rendered(
    validate: Validate, repository: Path, tools: Path, found: dict[str, str], option: str
) -> None:
    links(repository, found)
    done = validate(option, "charts/etl")
    assert done.code == 2
    assert "a symbolic link out of the repository, so nothing is rendered with it" in done.out
    assert "TOP-SECRET" not in done.out + done.err
    assert not (tools / "ran").exists()


def test_a_chart_that_is_a_link_out_of_the_repository_is_not_rendered(
    validate: Validate, repository: Path, tools: Path
) -> None:
    write({"../secret/Chart.yaml": CHART})
    links(repository, {"charts/secret": "../secret"})
    done = validate("--helm", "charts/secret")
    assert done.code == 2
    assert done.out.startswith(
        "charts/secret:1:1: error: manifest [JW090 unreadable]\n  this is a symbolic link"
    )
    assert not (tools / "ran").exists()


def test_links_within_a_repository_are_rendered(
    validate: Validate, repository: Path, tools: Path
) -> None:
    write({"shared/x": "1"})
    links(repository, {"charts/etl/files": "shared", "shared/again": "charts/etl"})
    assert "symbolic link" not in validate("--helm", "charts/etl").out
    assert (tools / "ran").exists()


def test_outside_of_a_repository_links_are_the_users_own(
    validate: Validate, repository: Path, tools: Path
) -> None:
    (repository / ".git").rmdir()
    links(repository, CHART_LINKS["a file"])
    assert "symbolic link" not in validate("--helm", "charts/etl").out
    assert (tools / "ran").exists()


def test_values_of_the_user_may_be_elsewhere_but_not_behind_a_link_of_the_repository(
    validate: Validate, repository: Path, tools: Path
) -> None:
    validate("--helm", "charts/etl", "--values", "../secret/values.yaml")
    assert (tools / "ran").exists()
    (tools / "ran").unlink()
    links(repository, {"ci.yaml": "../secret/values.yaml"})
    done = validate("--helm", "charts/etl", "--values", "ci.yaml")
    assert (done.code, (tools / "ran").exists()) == (2, False)
    assert done.out.startswith(
        "ci.yaml:1:1: error: manifest [JW090 unreadable]\n  this is a symbolic link"
    )


def test_a_folder_that_looks_like_an_option_is_none(
    validate: Validate, repository: Path, tools: Path
) -> None:
    write({"--post-renderer=x/Chart.yaml": CHART})
    prints(tools, "helm", "")
    validate("--render", "--", "--post-renderer=x")
    assert (
        (tools / "helm.args").read_text().strip()
        == f"template release-name ./--post-renderer=x --kube-version {NEWEST_RELEASE}"
    )


BASES = {
    "a folder": "resources: [../../../secret]",
    "an absolute path": "resources: [{}/../secret]",
    "a linked folder": "resources: [link]",
    "behind another folder": "resources: [nothing/../link]",
    "a base": "bases: [../../../secret]",
    "a component": "components: [link]",
    "a generator": "generators: [link]",
    "in other letters": "ReſOURCES: [link]",
    "in a second document": "resources: []\n---\nresources: [link]",
    "of a base": "resources: [../../base]",
}


@pytest.mark.parametrize("kustomization", BASES.values(), ids=BASES)
@pytest.mark.parametrize("option", ["--kustomize", "--render"])
def test_an_overlay_with_a_base_out_of_the_repository_is_not_built(
    validate: Validate, repository: Path, tools: Path, kustomization: str, option: str
) -> None:
    write(
        {
            "overlays/prod/kustomization.yaml": kustomization.format(repository) + "\n",
            "base/kustomization.yaml": "resources: [job.yaml, ../../secret]\n",
        }
    )
    links(repository, {"overlays/prod/link": "../secret"})
    done = validate(option, "overlays/prod")
    assert done.code == 2
    assert "is out of the repository, so nothing is rendered with it" in done.out
    assert not (tools / "ran").exists()


def test_a_kustomization_that_cannot_be_read_is_not_built(
    validate: Validate, repository: Path, tools: Path
) -> None:
    """kustomize would take the last of two fields."""
    write({"overlays/prod/kustomization.yaml": "resources: []\nresources: [../../../secret]\n"})
    assert validate("--kustomize", "overlays/prod").code == 2
    links(repository, {"overlays/dev/kustomization.yaml": "../secret/kustomization.yaml"})
    done = validate("--kustomize", "overlays/dev")
    assert done.out.startswith("overlays/dev/kustomization.yaml:1:1: error:")
    assert "this is a symbolic link out of the repository" in done.out
    assert not (tools / "ran").exists()


def test_bases_within_a_repository_are_built(
    validate: Validate, repository: Path, tools: Path
) -> None:
    validate("--kustomize", "overlays/prod")
    assert (tools / "ran").exists()


@pytest.mark.parametrize("name", ["secret/job.yaml", "secret", "secret/nothing", 'secret/"\\0"'])
def test_an_annotation_of_the_overlay_leads_to_no_file_out_of_the_repository(
    validate: Validate, repository: Path, tools: Path, name: str
) -> None:
    write({"../secret/job.yaml": BASE})
    origin = os.path.join(os.path.realpath(repository.parent), name)
    built = BUILT.replace("|\n      path: ORIGIN", f'"path: {origin}"'.replace('"\\0"', "\\0"))
    prints(tools, "kustomize", built)
    done = validate("-o", "concise", "--kustomize", "overlays/prod")
    assert done.code == 1
    assert "secret" not in done.out
    assert "overlays/prod:" in done.out


def test_the_git_of_kustomize_fetches_nothing_from_this_machine(
    validate: Validate, repository: Path, tools: Path
) -> None:
    install(tools, "kustomize", f"env > {tools}/environment")
    validate("--kustomize", "overlays/prod")
    variables = (tools / "environment").read_text().splitlines()
    assert "GIT_ALLOW_PROTOCOL=git:http:https:ssh" in variables


@pytest.mark.parametrize("name", ["q'x", 'a"b', "x'] [y", "a: b", "# c", "ä ö"])
def test_an_overlay_may_have_any_name(
    validate: Validate, repository: Path, tools: Path, name: str
) -> None:
    write({f"{name}/kustomization.yaml": "resources: []\n"})
    install(tools, "kustomize", f'cat "$2"/kustomization.yaml > {tools}/built')
    validate("--kustomize", name)
    (document,) = read_text((tools / "built").read_bytes(), "kustomization.yaml")
    assert set(document.value) == {"resources", "buildMetadata"}
    (base,) = document.value["resources"]
    assert base.endswith(f"/repository/{name}")


# Bounds of the tools.


def test_a_tool_that_writes_without_end_is_the_error_of_its_chart(
    validate: Validate, repository: Path, tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "MAX_OUTPUT_BYTES", 1 << 20)
    install(tools, "helm", "exec yes")
    done = validate("--helm", "charts/etl")
    assert (done.code, "helm wrote more than 1 MiB" in done.out) == (2, True)


@pytest.mark.slow
def test_a_tool_that_takes_too_long_is_the_error_of_its_chart(
    validate: Validate, repository: Path, tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "MAX_SECONDS", 1)
    install(tools, "helm", "sleep 600")
    done = validate("--helm", "charts/etl")
    assert (done.code, "helm took longer than 1 s" in done.out) == (2, True)


def test_a_tool_that_crashes_is_said_in_one_line(
    validate: Validate, repository: Path, tools: Path
) -> None:
    install(
        tools,
        "helm",
        "echo 'fatal error: runtime: cannot allocate memory' >&2; seq -f 'goroutine %g' 99 >&2; exit 2",
    )
    done = validate("--helm", "charts/etl")
    assert (
        "fatal error: runtime: cannot allocate memory (the limit is 2048 MiB of memory)" in done.out
    )
    assert "goroutine" not in done.out


def test_what_a_tool_leaves_in_the_folder_for_temporary_files_is_deleted(
    validate: Validate, repository: Path, tools: Path
) -> None:
    install(tools, "kustomize", f'echo "$TMPDIR" > {tools}/folder; mkdir "$TMPDIR"/kustomize-1')
    validate("--kustomize", "overlays/prod")
    assert not Path((tools / "folder").read_text().strip()).exists()


TEMPLATED = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: {{ .Release.Name }}}\n"


def test_templates_of_a_chart_are_one_note_for_the_chart(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(
        {
            "charts/etl/Chart.yaml": CHART,
            "charts/etl/templates/job.yaml": f"{TEMPLATED}---\n{TEMPLATED}",
            "charts/etl/templates/service.yaml": "kind: Service\nmetadata: {name: {{ .x }}}\n",
            "charts/etl/charts/db/Chart.yaml": "name: db\n",
            "charts/etl/charts/db/templates/secret.yaml": "{{ if .x }}\nkind: Secret\n{{ end }}\n",
        }
    )
    done = validate("-o", "concise", ".")
    assert done.code == 0
    assert done.out.splitlines() == [
        "charts/etl/Chart.yaml:1:1: info JW099 3 templates of the chart are not rendered, 1 with a Job: add "
        "--render"
    ]


def test_a_template_that_is_named_itself_is_an_error(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write({"etl/Chart.yaml": CHART, "etl/templates/job.yaml": TEMPLATED})
    assert validate("etl/templates/job.yaml").code == 2


def test_templates_outside_of_charts_are_one_note_for_their_folder(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    service = "kind: Service\nmetadata:\n  name: {{ name }}\n"
    files = {"jinja/a.yaml": TEMPLATED, "jinja/b.yaml": service, "jinja/c.yaml": service}
    write({**files, "more/job.yaml": TEMPLATED})
    for options in ([], ["--mixed"]):
        done = validate("-o", "concise", *options, ".")
        assert done.code == 0
        notes = [line for line in done.out.splitlines() if "JW091" in line]
        assert notes[1] == (
            "more/job.yaml:1:1: info JW091 1 template of the folder more is not a manifest yet, 1 with a Job: "
            "render it, and validate the result"
        )
        assert len(notes) == 2
    assert "3 templates of the folder jinja are not manifests yet" in validate(".").out
    assert validate("jinja/a.yaml").code == 2


def test_a_template_hides_no_other_mistake(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    broken = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n b: c\nspec: {{ spec }}\n"
    wrong = BASE.replace("spec:", "spec:\n  a: 1", 1)
    write({"jinja/a.yaml": f"{TEMPLATED}---\n{wrong}", "jinja/b.yaml": broken})
    done = validate("-o", "concise", ".")
    assert done.code == 2
    assert 'unknown field "spec.a"' in done.out
    assert "jinja/b.yaml:5:2: error JW090" in done.out
    assert "1 template of the folder jinja is not a manifest yet" in done.out


def test_a_manifest_in_a_chart_that_needs_no_rendering_is_validated(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(
        {
            "etl/Chart.yaml": CHART,
            "etl/templates/job.yaml": BASE.replace("spec:", "spec:\n  a: 1", 1),
        }
    )
    assert validate(".").code == 1


def test_charts_are_rendered_for_the_release_for_which_they_are_judged(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(REPOSITORY)
    prints(tools, "helm", RENDERED)
    validate("--helm", "charts/etl", "--kubernetes-version", "1.31")
    assert "--kube-version 1.31" in (tools / "helm.args").read_text()


def test_a_library_chart_has_a_note_and_no_error(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write({"lib/Chart.yaml": "name: lib\ntype: library\n"})
    install(tools, "helm", "exit 1")
    done = validate("--render", ".")
    assert done.code == 0
    assert "a library chart has nothing to render" in done.out


def test_a_folder_in_a_chart_is_not_rendered_and_the_note_names_the_folder_of_the_chart(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(REPOSITORY)
    out = validate("--render", "charts/etl/templates").out
    assert (
        "1 template of the chart is not rendered, 1 with a Job: name the folder of the chart: --render "
        "charts/etl\n"
    ) in out
    assert ": add --render" in validate("charts/etl/templates").out


def test_a_rendered_chart_is_an_object_of_its_folder(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(REPOSITORY)
    prints(tools, "helm", RENDERED)
    assert "JW097" not in validate("--render", "charts/etl").out


def test_without_helm_the_other_files_are_validated(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write({**REPOSITORY, "plain.yaml": BASE})
    done = validate("-o", "concise", "--render", "charts", "plain.yaml")
    assert done.code == 2
    assert "charts/etl/Chart.yaml: error JW090 helm is not installed" in done.out
    assert "plain.yaml:8:22: error JW003" in done.out


def test_a_chart_is_also_rendered_with_the_values_that_it_is_tested_with(
    validate: Validate, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write({**REPOSITORY, "charts/etl/ci/full-values.yaml": "a: b\n", "charts/etl/ci/README.md": ""})
    output = tools / "out"
    output.write_text(RENDERED)
    install(tools, "helm", f'case "$*" in *ci/full-values*) cat {output};; *) exit 1;; esac')
    done = validate("-o", "concise", "--render", "charts")
    assert done.code == 1
    assert "charts/etl/templates/job.yaml:6:3: error JW001" in done.out
    assert "cannot render it" not in done.out


@pytest.fixture
def chart_with_values(tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A chart in the current folder that is invalid with a file of values, which is returned."""
    monkeypatch.chdir(tmp_path)
    correct = TEMPLATE.replace("backofLimit", "backoffLimit").replace("Alway", "Never")
    write(
        {
            "charts/etl/Chart.yaml": CHART,
            "charts/etl/templates/job.yaml": correct,
            "charts/etl/ci/big-values.yaml": "retries: -1\n",
        }
    )
    rendered = "---\n# Source: etl/templates/job.yaml\n" + correct.replace(
        "{{ .Release.Name }}", "x"
    )
    for name, retries in (("own", "3"), ("big", "-1")):
        (tools / name).write_text(rendered.replace("{{ .Values.retries }}", retries))
    install(
        tools, "helm", f'case "$*" in *ci/big-values*) cat {tools}/big;; *) cat {tools}/own;; esac'
    )
    return "charts/etl/ci/big-values.yaml"


def test_a_finding_names_the_values_that_cause_it(
    validate: Validate, chart_with_values: str
) -> None:
    values = chart_with_values
    place = "charts/etl/templates/job.yaml:6:3"
    assert f"{place} (values {values}): error: Job x: " in validate("--render", "charts").out
    done = validate("-o", "concise", "--render", "charts")
    assert f"must be greater than or equal to 0 (Job x, values {values})" in done.out
    (error,) = (
        finding
        for result in validate("-o", "json", "--render", "charts").loaded["results"]
        for finding in result["findings"]
        if finding["severity"] == "error"
    )
    assert error["origin"]["values"] == values


def test_a_line_that_stands_in_a_file_of_values_leads_there(
    validate: Validate, tools: Path, chart_with_values: str
) -> None:
    template = Path("charts/etl/templates/job.yaml")
    rendered = template.read_text().replace("{{ .Release.Name }}", "x")
    rendered = rendered.replace("{{ .Values.retries }}", "3")
    rendered += "        resources:\n          limits:\n            cpu: two\n"
    template.write_text(template.read_text() + "        {{- toYaml .Values.main | nindent 8 }}\n")
    Path("charts/etl/values.yaml").write_text("main:\n  resources:\n    limits:\n      cpu: two\n")
    Path(chart_with_values).unlink()
    prints(tools, "helm", "---\n# Source: etl/templates/job.yaml\n" + rendered)
    out = validate("--helm", "charts/etl").out
    assert "charts/etl/values.yaml:4:12 (from charts/etl/templates/job.yaml): error: Job" in out
    assert "  4 |       cpu: two\n" in out
    more = validate("--helm", "charts/etl", files={"more.yaml": "a: {}\nb:\n  cpu: two\n"})
    assert "charts/etl/values.yaml:4:12 (from" in more.out
    assert "more.yaml:3:8 (from" in validate("--helm", "charts/etl", "--values", "more.yaml").out


@pytest.fixture
def schedules(tools: Path, chart_with_values: str) -> Callable[[str, str], None]:
    """Write the schedule of a chart's values, and that of the values that it is tested with."""
    template = Path("charts/etl/templates/job.yaml")
    template.write_text(CRON_JOB.format(schedule="schedule: {{ .Values.report.schedule }}"))
    files = {"own": "charts/etl/values.yaml", "big": chart_with_values}

    def write_schedules(own: str, tested: str) -> None:
        for name, schedule in (("own", own), ("big", tested)):
            line = f'schedule: "{schedule}"'
            Path(files[name]).write_text(f"# of {name}\nreport:\n  {line}\n")
            rendered = CRON_JOB.format(schedule=line)
            (tools / name).write_text(f"---\n# Source: etl/templates/job.yaml\n{rendered}")

    return write_schedules


def test_a_value_that_a_template_takes_over_under_its_name_leads_to_the_values(
    validate: Validate, schedules: Callable[[str, str], None], chart_with_values: str
) -> None:
    schedules("* 3 * * *", "0 99 * * *")
    out = validate("-o", "concise", "--render", "charts").out
    assert "charts/etl/values.yaml:3:13: warning JW404" in out
    assert f"{chart_with_values}:3:13: error JW004" in out
    out = validate("--render", "charts").out
    assert f"{chart_with_values}:3:13 (from charts/etl/templates/job.yaml): error" in out


def test_advice_that_is_the_same_with_all_values_is_reported_once(
    validate: Validate, schedules: Callable[[str, str], None]
) -> None:
    schedules("0 3 * * *", "0 4 * * *")
    out = validate("-o", "concise", "--select", "JW407", "--render", "charts").out
    assert out.count("JW407") == 1


def test_the_excerpt_at_a_line_of_a_template_is_its_text(
    validate: Validate, chart_with_values: str
) -> None:
    out = validate("--render", "charts").out
    assert "  6 |   backoffLimit: {{ .Values.retries }}\n" in out
    assert "backoffLimit: -1" not in out


def test_test_cases_of_several_files_of_values_have_different_names(
    validate: Validate, chart_with_values: str
) -> None:
    report = ElementTree.fromstring(validate("--render", "-o", "junit", "charts").out)
    names = [case.get("name") for case in report.iter("testcase")]
    assert names == ["Job x", f"Job x (values {chart_with_values})"]


def test_a_baseline_has_a_finding_in_a_file_and_in_its_overlay_once(
    validate: Validate, repository: Path, tools: Path
) -> None:
    prints(tools, "kustomize", BUILT.replace("ORIGIN", os.path.realpath("base/job.yaml")))
    rendered = ("--kustomize", "overlays/prod", "-o", "concise", "base/job.yaml")
    shown = validate(*rendered)
    assert shown.out.count("error JW003") == 1
    written = validate("--baseline", "known.json", "--write-baseline", *rendered)
    assert "; 1 of them is an error of the API server" in written.err
    known = validate("--baseline", "known.json", *rendered)
    assert (known.code, known.out) == (0, "")
    assert "0 valid, 0 invalid, 2 with errors of the baseline only" in known.err


def test_a_known_mistake_is_new_in_another_file_of_values(
    validate: Validate, tools: Path, chart_with_values: str
) -> None:
    known = ("--render", "--baseline", "known.json", "-o", "concise", "charts")
    assert validate("--write-baseline", *known).code == 0
    assert validate(*known).code == 0
    os.rename(chart_with_values, "charts/etl/ci/other-big-values.yaml")
    install(
        tools, "helm", f'case "$*" in *other-big-val*) cat {tools}/big;; *) cat {tools}/own;; esac'
    )
    done = validate(*known)
    assert (done.code, "values charts/etl/ci/other-big-values.yaml" in done.out) == (1, True)
    gone = "  JW004 Job x spec.backoffLimit in charts/etl (values charts/etl/ci/big-values.yaml)"
    assert gone in done.err.splitlines()


def test_dependencies_beside_a_chart_are_built_in_a_copy(
    validate: Validate, repository: Path, tools: Path
) -> None:
    write(
        {
            "charts/etl/Chart.yaml": "name: etl\ndependencies:\n- {name: db, repository: 'file://../db'}\n",
            "charts/db/Chart.yaml": "name: db\n",
            "charts/db/templates/job.yaml": TEMPLATE,
        }
    )
    output = tools / "out"
    output.write_text(RENDERED.replace("etl/templates", "etl/charts/db/templates"))
    install(tools, "helm", f'test -f "$3/charts/db/templates/job.yaml" && cat {output}')
    done = validate("-o", "concise", "--helm", "charts/etl")
    assert done.code == 1
    assert "charts/db/templates/job.yaml:6:3: error JW001" in done.out
    assert not Path("charts/etl/charts").exists()


def test_a_dependency_out_of_the_repository_is_not_built(
    validate: Validate, repository: Path, tools: Path, tmp_path: Path
) -> None:
    write(
        {
            "charts/etl/Chart.yaml": "name: etl\ndependencies:\n- {name: x, repository: 'file://../../../x'}\n"
        }
    )
    prints(tools, "helm", RENDERED)
    done = validate("-o", "concise", "--helm", "charts/etl")
    assert done.code == 2
    assert "its dependency x is out of the repository" in done.out
    assert not (tools / "helm.args").exists()
