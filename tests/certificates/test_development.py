"""Certificates in a folder: generated, kept while valid, and never overwritten if they are foreign."""

from __future__ import annotations

import datetime
import stat
from pathlib import Path

import pytest

pytest.importorskip("cryptography")

from jobsworth.certificates import development, folder_store, leaf
from jobsworth.certificates.ca import create
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
