"""The webhook follows its files, and keeps what it has where the new is broken."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jobsworth.serving.file_reload import MAX_UNSETTLED, Load, Reloading
from jobsworth.serving.tls_context import UnusableCertificate, load_certificate
from support.admission.running_webhook import CertificateAuthority, swap


def changed(value: Reloading[int]) -> bool:
    """Check twice, because two checks must find the same change; return True if there is a new value."""
    return value.check() is None and is_new(value.check())


def is_new(load: Load[int] | None) -> bool:
    return load is not None and load.error is None


def number_in(file: Path) -> Reloading[int]:
    return Reloading(lambda: int(file.read_text()), [file])


def test_a_value_follows_its_file(tmp_path: Path) -> None:
    file = tmp_path / "number"
    file.write_text("1")
    number = number_in(file)
    assert number.value is None
    first = number.check()
    assert first is not None
    assert (first.before, first.value, first.error) == (None, 1, None)
    assert number.check() is None
    file.write_text("2")
    assert number.check() is None
    second = number.check()
    assert second is not None
    assert (second.before, second.value, second.error) == (1, 2, None)
    assert number.value == 2


def test_the_contents_count_and_not_the_dates(tmp_path: Path) -> None:
    file = tmp_path / "number"
    file.write_text("1")
    number = number_in(file)
    number.check()
    before = file.stat()
    file.write_text("2")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert changed(number)
    os.utime(file)
    assert not changed(number)


def test_broken_files_are_rejected_once_and_the_old_ones_stay(tmp_path: Path) -> None:
    file = tmp_path / "number"
    file.write_text("1")
    number = number_in(file)
    number.check()
    for broken in ("one", None, ""):
        file.unlink(missing_ok=True)
        if broken is not None:
            file.write_text(broken)
        assert number.check() is None
        rejected = number.check()
        assert rejected is not None
        assert rejected.error is not None
        assert (rejected.before, rejected.value, number.value) == (1, None, 1)
        assert (number.check(), number.check()) == (None, None)
    file.write_text("1")
    assert changed(number)


def test_a_link_that_is_swapped_is_seen(tmp_path: Path) -> None:
    volume = tmp_path / "volume"
    swap(volume, {"number": b"1"})
    number = number_in(volume / "number")
    assert is_new(number.check())
    swap(volume, {"number": b"2"})
    assert changed(number)
    assert number.value == 2


def test_of_a_folder_all_that_is_in_it_counts(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    count = Reloading(lambda: len(list(tmp_path.rglob("*.yaml"))), [tmp_path])
    count.check()
    assert count.value == 0
    (tmp_path / "a/one.yaml").write_text("")
    assert changed(count)
    assert count.value == 1
    (tmp_path / "a/one.yaml").unlink()
    assert changed(count)
    assert count.value == 0


def test_a_file_that_is_being_written_is_not_loaded(tmp_path: Path) -> None:
    file = tmp_path / "number"
    file.write_text("100")
    number = number_in(file)
    number.check()
    for written in ("", "1", "12", "123"):
        file.write_text(written)
        assert number.check() is None
        assert number.is_unsettled
        assert number.value == 100
    assert is_new(number.check())
    assert (number.value, number.is_unsettled) == (123, False)


def test_a_change_that_is_undone_at_once_is_none(tmp_path: Path) -> None:
    file = tmp_path / "number"
    file.write_text("1")
    number = number_in(file)
    number.check()
    file.write_text("2")
    assert number.check() is None
    file.write_text("1")
    assert not changed(number)
    assert not number.is_unsettled


def test_files_that_change_all_the_time_are_reported_once(tmp_path: Path) -> None:
    file = tmp_path / "number"
    file.write_text("0")
    number = number_in(file)
    loads = []
    for count in range(2 * MAX_UNSETTLED):
        file.write_text(str(count))
        loads.append(number.check())
    assert number.value == 0
    first, rejected = filter(None, loads)
    assert first.value == 0
    assert str(rejected.error) == f"the files changed between each of {MAX_UNSETTLED} checks"


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
