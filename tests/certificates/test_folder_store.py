"""Certificates as files in a folder: what is published is what is read, whole or not at all."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

pytest.importorskip("cryptography")

from jobsworth.certificates.folder_store import Paths, paths_in, publish, published, write_private
from jobsworth.certificates.keypair import KeyPair

FIRST = KeyPair(b"certificate", b"key")
SECOND = KeyPair(b"another certificate", b"another key")


def test_the_files_have_the_names_of_a_tls_secret(tmp_path: Path) -> None:
    assert paths_in(tmp_path) == Paths(
        certificate=tmp_path / "tls.crt", key=tmp_path / "tls.key", ca=tmp_path / "ca.crt"
    )


def test_publishing_returns_the_paths_of_what_it_has_written(tmp_path: Path) -> None:
    paths = publish(tmp_path / "new" / "folder", FIRST, b"bundle")
    assert paths == paths_in(tmp_path / "new" / "folder")
    assert paths.certificate.read_bytes() == b"certificate"
    assert paths.key.read_bytes() == b"key"
    assert paths.ca.read_bytes() == b"bundle"
    assert published(tmp_path / "new" / "folder") == (FIRST, b"bundle")


def test_a_new_version_replaces_the_old_one_as_a_whole(tmp_path: Path) -> None:
    paths = publish(tmp_path, FIRST, b"bundle")
    links = [path.readlink() for path in (paths.certificate, paths.key, paths.ca)]
    publish(tmp_path, SECOND, b"new bundle")
    assert published(tmp_path) == (SECOND, b"new bundle")
    # The links stay; only ..data is replaced, and the old version is removed.
    assert [path.readlink() for path in (paths.certificate, paths.key, paths.ca)] == links
    assert sorted(path.name for path in tmp_path.iterdir() if path.name[:2] != "..") == [
        "ca.crt",
        "tls.crt",
        "tls.key",
    ]
    data, version = sorted(tmp_path.glob("..*"), key=lambda path: not path.is_symlink())
    assert data.name == "..data"
    assert data.readlink() == Path(version.name)


def test_only_the_owner_can_read_the_files(tmp_path: Path) -> None:
    paths = publish(tmp_path, FIRST, b"bundle")
    files = [paths.certificate, paths.key, paths.ca]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert stat.S_IMODE(paths.key.resolve().parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("missing", ["tls.crt", "tls.key", "ca.crt"])
def test_an_incomplete_folder_has_nothing_published(tmp_path: Path, missing: str) -> None:
    publish(tmp_path, FIRST, b"bundle")
    (tmp_path / missing).unlink()
    assert published(tmp_path) == (None, b"")


def test_a_private_file_is_replaced_and_leaves_no_other(tmp_path: Path) -> None:
    file = tmp_path / "ca.key"
    file.write_bytes(b"old")
    write_private(file, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["ca.key"]
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_private_file_that_cannot_be_replaced_leaves_no_other(tmp_path: Path) -> None:
    folder = tmp_path / "ca.key"
    (folder / "in the way").mkdir(parents=True)
    with pytest.raises(IsADirectoryError):
        write_private(folder, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["ca.key"]
