"""Files and folders, and what is in them."""

from __future__ import annotations

import io
import os
import pickle
import sys
from pathlib import Path

import pytest

from jobsworth.manifests import (
    ManifestError,
    Position,
    find_manifests,
    might_contain_job,
    read_bytes,
    read_file,
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (
        "b.yaml",
        "a.yml",
        "z.json",
        "notes.txt",
        "sub/c.yaml",
        "sub/D.YAML",
        ".git/x.yaml",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"name: {name}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_folder_is_its_manifests_sorted_without_hidden_folders(folder: Path) -> None:
    inner = [os.path.join("sub", name) for name in ("D.YAML", "c.yaml")]

    assert list(find_manifests(["."])) == ["a.yml", "b.yaml", *inner, "z.json"]
    assert list(find_manifests(["sub"])) == inner


def test_files_are_given_as_they_are_and_in_order(folder: Path) -> None:
    paths = ["notes.txt", "-", "b.yaml", ".git", "b.yaml"]

    assert list(find_manifests(paths)) == ["notes.txt", "-", "b.yaml", ".git/x.yaml", "b.yaml"]


def test_a_missing_path_is_an_error_and_the_others_are_given(folder: Path) -> None:
    found = list(find_manifests(["missing.yaml", "b.yaml"]))

    assert found == [
        ManifestError("missing.yaml", 0, 0, "no such file or folder; check the path"),
        "b.yaml",
    ]


def test_a_loop_of_links_ends(folder: Path) -> None:
    (folder / "sub" / "up").symlink_to(folder)
    (folder / "other").symlink_to(folder / "sub")
    found = [str(path) for path in find_manifests(["."])]

    assert len([path for path in found if path.endswith("c.yaml")]) == 1


def test_a_broken_link_is_an_error_when_it_is_read(folder: Path) -> None:
    (folder / "broken.yaml").symlink_to(folder / "nowhere")

    assert "broken.yaml" in list(find_manifests(["."]))
    (document,) = read_file("broken.yaml")
    assert document.error is not None
    assert "symbolic link" in document.error.message


def test_other_files_are_left_out_of_a_folder(folder: Path) -> None:
    os.mkfifo(folder / "sub" / "pipe.yaml")

    assert len(list(find_manifests(["sub"]))) == 2


def test_a_folder_is_no_file(folder: Path) -> None:
    (document,) = read_file("sub")

    assert document.error is not None
    assert "folder" in document.error.message
    assert (document.value, document.position("spec")) == (None, Position(1, 1))
    assert document.source_line(1) == ""


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_file_that_may_not_be_read_is_an_error(folder: Path) -> None:
    (folder / "b.yaml").chmod(0)
    (document,) = read_file("b.yaml")

    assert document.error is not None
    assert "permission" in document.error.message


def test_a_path_that_cannot_be_one_is_an_error() -> None:
    (document,) = read_file("a\0b")

    assert document.error is not None


def stdin_holds(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin_holds(b"a: 1\n", monkeypatch)
    (document,) = read_file("-")

    assert (document.file, document.value) == ("<stdin>", {"a": 1})


def test_standard_input_can_be_given_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin_holds(b'{"a": 1.0}', monkeypatch)
    (document,) = read_file("-", name="job.json")

    assert (document.file, document.value) == ("job.json", {"a": 1.0})
    assert isinstance(document.value, dict)
    assert isinstance(document.value["a"], float)


def test_a_file_s_bytes_can_be_had_before_they_are_read(folder: Path) -> None:
    assert read_bytes("b.yaml") == b"name: b.yaml\n"
    assert isinstance(read_bytes("missing"), ManifestError)


def test_a_read_file_can_go_to_another_process(folder: Path) -> None:
    (document,) = read_file("b.yaml")
    copy = pickle.loads(pickle.dumps(document))

    assert copy.value == document.value
    assert copy.position("name") == document.position("name")
    error = ManifestError("a", 1, 2, "b")
    assert pickle.loads(pickle.dumps(error)) == error


def test_positions_are_values() -> None:
    position = Position(1, 2)

    assert position == Position(1, 2)
    assert position != Position(2, 1)
    assert len({position, Position(1, 2)}) == 1


@pytest.mark.parametrize(
    "text",
    [
        b"kind: Job",
        b"kind: cronjob",
        b"kind: JOBB",
        b"apiVersion: batch/v1\nkind: Jpb",
        b"kind: List",
        b'kind: "\\x4aob"',
        b'kind: "J\\u006fb"',
        b'kind: "Jo\\\n  b"',
        b'kind: "Jo\\\r\n  b"',
        b"kind: !!binary Sm9i",
        b"kind: !<tag:yaml.org,2002:bin%61ry> Sm9i",
        b"%TAG !x! tag:yaml.org,2002:\n---\nkind: !x!binary Sm9i",
        b"? kind\n: Job",
        b"a: [&k kind, {*k : Job}]",
        b"apiVersion: batch/v1\nmetadata: {}",
        "kind: Job".encode("utf-16"),
        "kind: Job".encode("utf-16-be"),
    ],
)
def test_a_file_that_may_hold_a_job_is_not_passed_over(text: bytes) -> None:
    assert might_contain_job(text)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"kind: Deployment\nspec:\n  command: ['sh', '-c', 'echo \\n !']\n",
        b'{"kind": "ConfigMap", "data": {"a": "\\"\\n\\t\\\\"}}',
        b"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n",
        b'{"packages": {"kind-of": {"version": "6.0.3"}, "batch": {}}}',
    ],
)
def test_a_file_that_holds_none_is_passed_over(text: bytes) -> None:
    assert not might_contain_job(text)
