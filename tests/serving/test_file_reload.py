"""The webhook follows its files, and keeps what it has where the new is broken."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jobsworth.serving.file_reload import Reloading
from jobsworth.serving.tls_context import UnusableCertificate, load_certificate
from support.admission.running_webhook import CertificateAuthority, swap


class RecordingObserver:
    """Records the calls of an observer."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def loaded(self, what: str, seconds: float, value: object) -> None:
        self.lines.append(f"{what} {value}")

    def rejected(self, what: str, seconds: float, error: Exception) -> None:
        self.lines.append(f"{what} rejected: {error}")


def number_in(file: Path) -> Reloading[int]:
    return Reloading("number", lambda: int(file.read_text()), [file])


def test_a_value_follows_its_file(tmp_path: Path) -> None:
    file, reported = tmp_path / "number", RecordingObserver()
    file.write_text("1")
    number = number_in(file)
    assert number.value is None
    assert number.check(reported)
    assert not number.check(reported)
    file.write_text("2")
    assert number.check(reported)
    assert number.value == 2
    assert reported.lines == ["number 1", "number 2"]


def test_the_contents_count_and_not_the_dates(tmp_path: Path) -> None:
    file, reported = tmp_path / "number", RecordingObserver()
    file.write_text("1")
    number = number_in(file)
    number.check(reported)
    before = file.stat()
    file.write_text("2")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert number.check(reported)
    os.utime(file)
    assert not number.check(reported)


def test_broken_files_are_rejected_once_and_the_old_ones_stay(tmp_path: Path) -> None:
    file, reported = tmp_path / "number", RecordingObserver()
    file.write_text("1")
    number = number_in(file)
    number.check(reported)
    for broken in ("one", None, ""):
        file.unlink(missing_ok=True)
        if broken is not None:
            file.write_text(broken)
        assert not number.check(reported)
        assert not number.check(reported)
        assert number.value == 1
    file.write_text("1")
    assert number.check(reported)
    assert [line.partition(":")[0] for line in reported.lines] == [
        "number 1", "number rejected", "number rejected", "number rejected", "number 1",
    ]  # fmt: skip


def test_a_link_that_is_swapped_is_seen(tmp_path: Path) -> None:
    volume = tmp_path / "volume"
    swap(volume, {"number": b"1"})
    number = number_in(volume / "number")
    assert number.check()
    swap(volume, {"number": b"2"})
    assert number.check()
    assert number.value == 2


def test_of_a_folder_all_that_is_in_it_counts(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    count = Reloading("count", lambda: len(list(tmp_path.rglob("*.yaml"))), [tmp_path])
    count.check()
    assert count.value == 0
    (tmp_path / "a/one.yaml").write_text("")
    assert count.check()
    assert count.value == 1
    (tmp_path / "a/one.yaml").unlink()
    assert count.check()
    assert count.value == 0


def test_a_certificate_is_loaded_with_its_expiry(tmp_path: Path) -> None:
    ca = CertificateAuthority(tmp_path)
    ca.rotate()
    volume = ca.volume
    loaded = load_certificate(volume / "tls.crt", volume / "tls.key", ca.file)
    assert loaded.expires > 0
    assert loaded.context.verify_mode.name == "CERT_REQUIRED"
    assert loaded.context.minimum_version.name == "TLSv1_2"


@pytest.mark.parametrize(
    ("certificate", "key", "message"),
    [
        (None, "key", "no such file"),
        ("certificate", None, "no such file"),
        ("certificate", "other key", "the key does not match the certificate"),
        ("certificate", "nonsense", "not a certificate and its key in PEM format"),
        ("nonsense", "key", "not a certificate and its key in PEM format"),
        ("key", "certificate", "not a certificate and its key in PEM format"),
    ],
)
def test_invalid_certificates_are_rejected(
    tmp_path: Path, certificate: str | None, key: str | None, message: str
) -> None:
    ca = CertificateAuthority(tmp_path)
    pair, other = ca.issue(), ca.issue()
    contents = {
        "certificate": pair.certificate,
        "key": pair.key,
        "other key": other.key,
        "nonsense": b"nonsense",
    }
    files = {"crt": certificate, "key": key}
    for name, content in files.items():
        if content is not None:
            (tmp_path / name).write_bytes(contents[content])
    with pytest.raises(UnusableCertificate, match=message):
        load_certificate(tmp_path / "crt", tmp_path / "key")
