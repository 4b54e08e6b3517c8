"""Files, folders and lists without an object to validate: never silently green."""

from __future__ import annotations

import io
import json
import sys

import pytest

from support.cli.command_runs import Validate
from support.lint.manifests_with_findings import SOUND

AS_ITEM = "- " + SOUND.replace("\n", "\n  ").rstrip() + "\n"
TWO = AS_ITEM + AS_ITEM
SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"


def stdin(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


WITHOUT_VERSION = SOUND.replace("apiVersion: batch/v1\n", "")


def test_a_named_job_without_api_version_is_an_error(validate: Validate) -> None:
    """No client applies it; a folder has other files with a key kind."""
    named = validate("-o", "concise", "job.yaml", files={"job.yaml": WITHOUT_VERSION})
    assert (named.code, named.found) == (1, [(1, "JW320")])
    found = validate("-o", "concise", ".")
    assert (found.code, found.found) == (0, [(1, "JW320")])
    assert "no Job or CronJob found" in found.err


def test_an_object_without_an_earlier_version_is_named(validate: Validate) -> None:
    files = {"new/job.yaml": SOUND, "old/other.yaml": SOUND.replace("name: sound", "name: other")}
    done = validate("--against", "old", "new", files=files)
    assert done.code == 0
    assert "note: old has no Job sound: it was validated as a new object\n" in done.err
    assert "note" not in validate("--against", "new", "new").err


def test_an_object_with_another_namespace_than_the_given_one_is_named(validate: Validate) -> None:
    text = SOUND.replace("name: sound", "name: sound\n  namespace: ml")
    done = validate("-n", "team-a", "job.yaml", files={"job.yaml": text})
    assert "note: Job ml/sound: the namespace of the manifest was used, not --namespace" in done.err
    assert "note" not in validate("-n", "ml", "job.yaml").err


@pytest.mark.parametrize("options", [[], ["--mixed"]])
@pytest.mark.parametrize("path", ["jobs.yaml", "."])
def test_a_list_of_jobs_is_an_error_as_kubectl_cannot_decode_it(
    path: str, options: list[str], validate: Validate
) -> None:
    done = validate(*options, path, files={"jobs.yaml": TWO})
    assert done.code == 1
    assert done.out.startswith("jobs.yaml:1:1: error: manifest [JW096 top-level-list]\n")
    assert "kubectl cannot decode a list of objects" in done.out
    assert "write --- between the objects, or make them the items of a List" in done.out


def test_a_list_of_jobs_in_json_is_an_error_too(validate: Validate) -> None:
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}}
    done = validate("jobs.json", files={"jobs.json": json.dumps([job])})
    assert (done.code, "JW096" in done.out) == (1, True)


def test_a_list_of_jobs_in_a_list_is_an_error_too(validate: Validate) -> None:
    done = validate("jobs.yaml", files={"jobs.yaml": "- - " + AS_ITEM[2:].replace("\n", "\n  ")})
    assert (done.code, "JW096" in done.out) == (1, True)


@pytest.mark.parametrize(
    "text",
    [
        "- op: replace\n  path: /spec/backoffLimit\n  value: 3\n",  # a JSON patch
        "- hosts: all\n  tasks: []\n",
        "- " + SERVICE.replace("\n", "\n  ").rstrip() + "\n",
    ],
)
def test_other_lists_in_a_folder_are_skipped(text: str, validate: Validate) -> None:
    done = validate(".", files={"list.yaml": text, "job.yaml": SOUND})
    assert (done.code, done.out) == (0, "")
    assert "1 other object skipped" in done.err


@pytest.mark.parametrize(
    "text",
    ["", "\n# a comment\n---\n", "hello\n", "image: {tag: v1}\n", "- op: remove\n  path: /spec\n"],
    ids=["empty", "comments", "text", "values", "patch"],
)
def test_a_named_file_without_an_object_is_a_warning(text: str, validate: Validate) -> None:
    done = validate("a.yaml", files={"a.yaml": text})
    assert done.code == 0
    assert done.out == (
        "a.yaml: warning: manifest [JW097 no-object]\n"
        "  this file has no Kubernetes object: check the path, or allow this with --allow-empty\n"
        "\n"
    )
    assert validate("--fail-on", "warning", "a.yaml").code == 1
    assert validate("--allow-empty", "a.yaml").out == ""
    assert validate("--ignore", "JW097", "a.yaml").out == ""
    assert validate("--mixed", "a.yaml").out == ""
    assert validate(".").out.startswith(".: warning")


@pytest.mark.parametrize("folder", ["jobs", "jobs/", "./jobs"])
def test_a_folder_without_an_object_is_a_warning(folder: str, validate: Validate) -> None:
    files = {"jobs/notes.txt": "", "jobs/a/values.yaml": "a: 1\n", "other/job.yaml": SOUND}
    done = validate(folder, "other", files=files)
    assert done.code == 0
    assert done.out == (
        f"{folder}: warning: manifest [JW097 no-object]\n"
        "  this folder has no Kubernetes object: check the path, or allow this with --allow-empty\n"
        "\n"
    )


@pytest.mark.parametrize("options", [[], ["--mixed"]])
def test_a_folder_of_which_everything_is_excluded_is_told_as_such(
    options: list[str], validate: Validate
) -> None:
    done = validate(*options, "--exclude", "jobs", "jobs", files={"jobs/a.yaml": SOUND})
    assert (done.code, done.out) == (0, "")
    assert "1 file excluded" in done.err


@pytest.mark.parametrize("name", ["service.yaml", "kustomization.yaml"])
def test_objects_of_other_kinds_are_objects(name: str, validate: Validate) -> None:
    text = SERVICE if name == "service.yaml" else "resources: [job.yaml]\n"
    assert validate(name, files={name: text}).out == ""


def test_the_report_counts_a_file_without_an_object_as_skipped(validate: Validate) -> None:
    files = {"a.yaml": "", "b.yaml": "a: 1\n", "jobs/readme.md": ""}
    done = validate("-o", "json", "a.yaml", "b.yaml", "jobs", files=files)
    assert [
        (each["file"], each["document"], each["status"], [one["code"] for one in each["findings"]])
        for each in done.loaded["results"]
    ] == [
        ("a.yaml", 0, "skipped", ["JW097"]),
        ("b.yaml", 0, "skipped", ["JW097"]),
        ("jobs", 0, "skipped", ["JW097"]),
    ]


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("empty.yaml", "in this file"),
        ("service.yaml", "in this file"),
        ("services", "in this folder"),
        ("-", "on standard input"),
    ],
)
@pytest.mark.parametrize("options", [[], ["--mixed"]])
def test_fail_on_empty_requires_a_job_of_each_path(
    options: list[str],
    path: str,
    where: str,
    validate: Validate,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = {
        "empty.yaml": "",
        "service.yaml": SERVICE,
        "services/a.yaml": SERVICE,
        "job.yaml": SOUND,
    }
    stdin(monkeypatch, SERVICE)
    done = validate("--fail-on-empty", *options, "job.yaml", path, files=files)
    assert done.code == 2
    assert f"no Job or CronJob {where}: check the path" in done.out.replace(
        "check the command before it", "check the path"
    )
    loaded = validate("--fail-on-empty", "-o", "json", "job.yaml", "empty.yaml").loaded
    assert loaded["summary"]["exit_code"] == 2
    assert validate("--fail-on-empty", "job.yaml").code == 0


def test_fail_on_empty_takes_an_invalid_job_for_one(validate: Validate) -> None:
    files = {"jobs/job.yaml": SOUND.replace("3600", "-1")}
    assert validate("--fail-on-empty", "jobs", files=files).code == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--allow-empty"], "--allow-empty and --fail-on-empty exclude each other"),
        (["--git-ref", "HEAD"], "--git-ref and --fail-on-empty exclude each other"),
    ],
)
def test_fail_on_empty_excludes_what_contradicts_it(
    options: list[str], message: str, validate: Validate
) -> None:
    done = validate("--fail-on-empty", *options, "job.yaml", files={"job.yaml": SOUND})
    assert (done.code, message in done.err) == (2, True)
