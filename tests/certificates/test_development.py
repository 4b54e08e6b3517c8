"""Certificates in a folder: generated, kept while valid, and never overwritten if they are foreign."""

from __future__ import annotations

import datetime
import errno
import stat
from pathlib import Path

import pytest

pytest.importorskip("cryptography")

from jobsworth.certificates import development, folder_store, leaf
from jobsworth.certificates.ca import create
from jobsworth.certificates.folder_store import write_private
from jobsworth.certificates.keypair import names

NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)


def test_only_the_owner_reads_what_is_made(tmp_path: Path) -> None:
    development.generate(tmp_path / "certs", ["localhost"])
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "certs").iterdir()
    }
    assert modes == dict.fromkeys(("ca.crt", "ca.key", "tls.crt", "tls.key"), 0o600)


def test_nothing_is_overwritten_without_force(tmp_path: Path) -> None:
    made = development.generate(tmp_path, ["localhost"])
    before = made.paths.certificate.read_bytes()
    with pytest.raises(development.FilesExist, match=r"tls\.crt"):
        development.generate(tmp_path, ["localhost"])
    assert made.paths.certificate.read_bytes() == before
    development.generate(tmp_path, ["localhost"], overwrite=True)
    assert made.paths.certificate.read_bytes() != before


@pytest.mark.parametrize("fits", range(4))
@pytest.mark.parametrize("exists", [True, False])
def test_a_full_disk_leaves_nothing_and_the_next_attempt_succeeds(
    fits: int, exists: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "certs"
    if exists:
        folder.mkdir()
        (folder / "review.json").write_text("{}")
    left = fits

    def write(path: Path, content: bytes) -> None:
        nonlocal left
        if left == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        left -= 1
        write_private(path, content)

    with monkeypatch.context() as patched:
        patched.setattr(development, "write_private", write)
        with pytest.raises(OSError, match="No space left on device"):
            development.ensure(folder, ["localhost"], NOW)
    assert folder.exists() == exists
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["review.json"] * exists
    assert development.ensure(folder, ["localhost"], NOW).certificate.is_file()


def test_a_full_disk_leaves_the_former_certificates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = development.generate(tmp_path, ["localhost"])
    before = made.paths.certificate.read_bytes()
    monkeypatch.setattr(development, "write_private", lambda path, content: _full())
    with pytest.raises(OSError, match="No space left on device"):
        development.generate(tmp_path, ["localhost"], overwrite=True)
    assert made.paths.certificate.read_bytes() == before


@pytest.mark.parametrize("moved", range(4))
def test_a_set_that_is_moved_in_part_is_recognized_as_our_own(
    moved: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = moved

    def replace(source: Path, target: Path) -> None:
        nonlocal left
        if left == 0:
            raise KeyboardInterrupt
        left -= 1
        source.rename(target)

    with monkeypatch.context() as patched:
        patched.setattr(development, "replace", replace)
        with pytest.raises(KeyboardInterrupt):
            development.ensure(tmp_path, ["localhost"], NOW)
    assert development.ensure(tmp_path, ["localhost"], NOW).certificate.is_file()


def _full() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_valid_certificate_is_kept(tmp_path: Path) -> None:
    before = development.ensure(tmp_path, ["localhost", "::1"], NOW).certificate.read_bytes()
    again = development.ensure(tmp_path, ["localhost"], NOW + 300 * DAY)
    assert again.certificate.read_bytes() == before


@pytest.mark.parametrize(
    ("hosts", "later"), [(["localhost"], 365 * DAY), (["localhost", "192.0.2.7"], DAY)]
)
def test_expired_certificates_and_other_names_are_generated_anew(
    tmp_path: Path, hosts: list[str], later: datetime.timedelta
) -> None:
    before = development.ensure(tmp_path, ["localhost"], NOW).certificate.read_bytes()
    after = development.ensure(tmp_path, hosts, NOW + later).certificate.read_bytes()
    assert after != before
    assert names(after) == set(hosts)


def test_a_damaged_certificate_is_reissued(tmp_path: Path) -> None:
    paths = development.ensure(tmp_path, ["localhost"], NOW)
    paths.key.write_bytes(b"rubbish")
    development.ensure(tmp_path, ["localhost"], NOW)
    assert paths.key.read_bytes().startswith(b"-----BEGIN")


def test_a_foreign_certificate_is_left_unchanged(tmp_path: Path) -> None:
    (tmp_path / "tls.crt").write_text("mine")
    with pytest.raises(development.FilesExist):
        development.ensure(tmp_path, ["localhost"])
    assert (tmp_path / "tls.crt").read_text() == "mine"


def test_a_published_folder_changes_as_a_whole(tmp_path: Path) -> None:
    ca = create(NOW, DAY)
    first, second = (leaf.issue(ca, ["localhost"], NOW, DAY) for _ in range(2))
    folder_store.publish(tmp_path, first, ca.certificate)
    opened = (tmp_path / "..data").resolve()
    folder_store.publish(tmp_path, second, ca.certificate)
    assert folder_store.published(tmp_path) == (second, ca.certificate)
    assert not opened.exists()  # the old key does not stay about
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("..")) == [
        "ca.crt",
        "tls.crt",
        "tls.key",
    ]


def test_a_folder_that_holds_nothing_says_so(tmp_path: Path) -> None:
    assert folder_store.published(tmp_path) == (None, b"")
