"""The chart's profile and image, rendered by Helm: the webhook's arguments, and what the notes promise."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import jobsworth
from cluster.programs import MissingProgram, find
from jobsworth.admission.decision import Reviewer
from jobsworth.admission.review import read_review
from jobsworth.api.api_server import ApiServer
from jobsworth.files.policies.policy_files import load_policies
from jobsworth.files.policies.profiles import ENFORCEMENTS, PROFILES, profile_of
from support.admission.admission_reviews import review

ROOT = Path(__file__).parents[2]
CHART = ROOT / "charts" / "jobsworth"
RELEASE = "1.36"

Render = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The chart, with its notes in an object: Helm renders them only for a cluster."""
    folder = tmp_path_factory.mktemp("chart") / "jobsworth"
    shutil.copytree(CHART, folder)
    notes = folder / "templates" / "NOTES.txt"
    text = f'{{{{- define "notes" }}}}{notes.read_text("utf-8")}{{{{- end }}}}'
    (folder / "templates" / "_notes.tpl").write_text(text, "utf-8")
    (folder / "templates" / "notes.yaml").write_text('notes: {{ include "notes" . | toJson }}\n')
    return folder


def helm(chart: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        program = find("helm")
    except MissingProgram as missing:
        pytest.skip(str(missing))
    command = [program, "template", "jobsworth", chart, "-n", "jobsworth"]
    options = ["--kube-version", f"{RELEASE}.0", *arguments]
    return subprocess.run([*command, *options], capture_output=True, text=True, check=False)


@pytest.fixture
def render(chart: Path) -> Render:
    def render(*arguments: str) -> list[dict[str, Any]]:
        done = helm(chart, *arguments)
        assert done.returncode == 0, done.stderr
        return [each for each in yaml.safe_load_all(done.stdout) if each]

    return render


def arguments_of(objects: list[dict[str, Any]]) -> list[str]:
    """The arguments of the webhook."""
    (deployment,) = (each for each in objects if each.get("kind") == "Deployment")
    containers = deployment["spec"]["template"]["spec"]["containers"]
    (webhook,) = (each for each in containers if each["name"] == "webhook")
    return list(webhook["args"])


def profile_in(objects: list[dict[str, Any]]) -> list[str]:
    return [each for each in arguments_of(objects) if each.startswith("--profile")]


def notes_in(objects: list[dict[str, Any]]) -> str:
    (notes,) = (each["notes"] for each in objects if "notes" in each)
    return str(notes)


def test_by_default_baseline_warns(render: Render) -> None:
    assert profile_in(render()) == ["--profile=baseline", "--profile-enforcement=warn"]


@pytest.mark.slow
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("enforcement", ENFORCEMENTS)
def test_the_webhook_takes_the_arguments(render: Render, profile: str, enforcement: str) -> None:
    values = f"profile={profile},profileEnforcement={enforcement}"
    expected = [f"--profile={profile}", f"--profile-enforcement={enforcement}"]
    assert profile_in(render("--set", values)) == expected


def test_without_a_profile_nothing_is_rendered_for_it(render: Render) -> None:
    objects = render("--set", "profile=none")
    assert profile_in(objects) == []
    assert "etc/jobsworth/policies" not in json.dumps(objects)
    assert "No policies are configured." in notes_in(objects)


@pytest.mark.slow
def test_a_profile_applies_beside_policies_of_either_kind(render: Render) -> None:
    for values in ("policies.own.enforcement=warn", "existingPoliciesConfigMap=own"):
        arguments = arguments_of(render("--set", values))
        assert "--policy=/etc/jobsworth/policies" in arguments
        assert "--profile=baseline" in arguments


def files_of(objects: list[dict[str, Any]]) -> dict[str, str]:
    """The files of policies that the webhook reads."""
    (found,) = (
        each["data"] for each in objects if each["metadata"]["name"] == "jobsworth-policies"
    )
    return dict(found)


def test_policies_are_given_as_files_unchanged(render: Render) -> None:
    file = ROOT / "policies" / "ml-training.yaml"
    objects = render(
        "--set-file", f"policyFiles.team-ml={file}", "--set", "policies.own.enforcement=warn"
    )
    objects = [each for each in objects if "metadata" in each]
    assert "--policy=/etc/jobsworth/policies" in arguments_of(objects)
    files = files_of(objects)
    assert files["team-ml.yaml"] == file.read_text("utf-8")
    assert files.keys() == {"team-ml.yaml", "own.yaml"}


@pytest.mark.slow
def test_policies_printed_as_values_are_the_policies(render: Render, tmp_path: Path) -> None:
    values = tmp_path / "values.yaml"
    command = [sys.executable, "-m", "jobsworth", "policy", "chart-values", ROOT / "policies"]
    with values.open("w") as out:
        subprocess.run(command, stdout=out, check=True)
    objects = [each for each in render("--values", str(values)) if "metadata" in each]
    rendered = [yaml.safe_load(text) for text in files_of(objects).values()]
    written = [
        policy
        for file in sorted((ROOT / "policies").glob("*.yaml"))
        for policy in yaml.safe_load_all(file.read_text("utf-8"))
        if policy["kind"] == "JobPolicy"
    ]
    assert {each["metadata"]["name"]: each["spec"] for each in rendered} == {
        each["metadata"]["name"]: each["spec"] for each in written
    }


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ("--set", "policyFiles.ml=policies/ml-training.yaml.bak"),
            "policyFiles.ml has no JobPolicy: give the content of a file, with --set-file policyFiles.ml=FILE",
        ),
        (
            ("--set", "policyFiles.own=kind: JobPolicy,policies.own.enforcement=warn"),
            "own is in policies and in policyFiles: give one of them another name",
        ),
        (
            ("--set", "policyFiles.own=kind: JobPolicy,existingPoliciesConfigMap=mine"),
            "existingPoliciesConfigMap takes the place of policies and policyFiles: set either it or them",
        ),
        (("--set", "policyFiles.Own=kind: JobPolicy"), "'Own' does not match pattern"),
    ],
)
def test_files_that_cannot_be_meant_stop_the_installation(
    arguments: tuple[str, ...], complaint: str
) -> None:
    done = helm(CHART, *arguments)
    assert done.returncode == 1
    assert complaint in done.stderr


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ("policies.a.limits.backoffLimt.maximum=3", "'backoffLimt' not allowed"),
        ("policies.a.limits.backoffLimit.maximum=many", "/policies/a/limits/backoffLimit/maximum"),
        ("policies.a.enforcement=block", "/policies/a/enforcement"),
        ("profile=basic", "/profile'"),
        ("profileEnforcement=block", "/profileEnforcement'"),
    ],
)
def test_helm_rejects_a_misspelled_policy(values: str, complaint: str) -> None:
    done = helm(CHART, "--set", values)
    assert done.returncode == 1
    assert complaint in done.stderr


def command_in(notes: str) -> list[str]:
    """The command that the notes propose."""
    (line,) = (line for line in notes.splitlines() if "--dry-run=server" in line)
    return shlex.split(line)


def manifest_of(command: list[str]) -> dict[str, Any]:
    """What kubectl sends."""
    try:
        program = str(find("kubectl"))
    except MissingProgram as missing:
        pytest.skip(str(missing))
    separator = command.index("--")
    created = [each for each in command[1:separator] if not each.startswith("--dry-run")]
    sent = subprocess.run(
        [program, *created, "--dry-run=client", "-o", "json", *command[separator:]],
        capture_output=True,
        text=True,
        check=True,
    )
    made: dict[str, Any] = json.loads(sent.stdout)
    made["metadata"].setdefault("namespace", "default")
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    "values",
    ["profile=baseline", "profile=baseline,profileEnforcement=deny", "profile=strict"],
)
def test_the_notes_show_what_the_webhook_says(render: Render, values: str) -> None:
    objects = render("--set", values)
    notes = notes_in(objects)
    given = dict(each[2:].partition("=")[::2] for each in arguments_of(objects)[1:])
    profile = profile_of(given["profile"], given["profile-enforcement"])  # type: ignore[arg-type]
    reviewer = Reviewer(ApiServer(RELEASE), load_policies((), profile), api_verdict="warn")
    sent = jobsworth.default(manifest_of(command_in(notes)), kubernetes_version=RELEASE)
    answer = reviewer.validate(read_review(json.dumps(review(sent)).encode()))
    assert answer.response.allowed
    promised = re.findall(r"^  Warning: (.*)$", notes, re.MULTILINE)
    if profile is not None and profile.name == "baseline":
        assert promised == list(answer.response.warnings)
        assert "\n  cronjob.batch/try-jobsworth created (server dry run)\n" in notes
    else:
        assert promised
        assert set(promised) < set(answer.response.warnings)


@pytest.mark.slow
def test_the_notes_promise_nothing_that_depends_on_policies_of_your_own(render: Render) -> None:
    for values in ("policies.baseline.enforcement=warn", "profileEnforcement=audit"):
        assert "Warning: JobPolicy baseline" not in notes_in(render("--set", values))


@pytest.mark.slow
@pytest.mark.skipif(".dev" not in jobsworth.__version__, reason="this version is released")
def test_the_notes_of_a_version_in_development_say_that_it_has_no_image(render: Render) -> None:
    assert "No image of version" in notes_in(render())
    for own in ("image.tag=dev", "image.repository=registry.example.com/jobsworth"):
        assert "No image of version" not in notes_in(render("--set", own))
