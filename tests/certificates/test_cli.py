"""``jobsworth certs``: its files, its output and its error messages."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("cryptography")
pytest.importorskip("kubernetes")

from jobsworth.certificates.keypair import names
from jobsworth.cli import run

Captured = pytest.CaptureFixture[str]


def certs(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        run(["certs", *arguments])
    return int(ended.value.code or 0)


def test_generate_prints_what_it_made(tmp_path: Path, capsys: Captured) -> None:
    code = certs(
        "generate", "--directory", str(tmp_path), "--name", "a.example,192.0.2.7", "--days", "3"
    )
    assert code == 0
    output = capsys.readouterr().out
    for name in ("ca.crt", "ca.key", "tls.crt", "tls.key"):
        assert f"{tmp_path / name}: " in output
    assert "for a.example, 192.0.2.7" in output
    assert names((tmp_path / "tls.crt").read_bytes()) == {"a.example", "192.0.2.7"}


def test_generate_is_for_this_machine_by_default(tmp_path: Path) -> None:
    assert certs("generate", "--directory", str(tmp_path)) == 0
    assert names((tmp_path / "tls.crt").read_bytes()) == {"localhost", "127.0.0.1", "::1"}


def test_generate_overwrites_only_by_force(tmp_path: Path, capsys: Captured) -> None:
    assert certs("generate", "--directory", str(tmp_path)) == 0
    assert certs("generate", "--directory", str(tmp_path)) == 2
    assert "overwrite them with --force" in capsys.readouterr().err
    assert certs("generate", "--directory", str(tmp_path), "--force") == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["generate", "--name", "a b"], "'a b' is neither a host name"),
        (["generate", "--days", "0"], "'0' is not a whole number from 1"),
        (["generate", "--days", "99999999"], "must expire before the year 10000"),
        (["generate", "--directory", "/dev/null/x"], "cannot write /dev/null/x: Not a directory"),
        (["manage"], "the certificate has no host name"),
        (["manage", "--issued-secret", "jobsworth-certificates"], "name another Secret in --secret"),
        (["manage", "--issued-secret", "tls", "--kubeconfig", "/none"], "/none does not exist"),
        (["manage", "--name", "-a"], "'-a' is neither a host name"),
        (["manage", "--service", "a", "--duration", "90y"], '--duration: time: unknown unit "y"'),
        (["manage", "--service", "a", "--settle", "0s"], "--settle must be greater than zero"),
        (["manage", "--service", "a", "--ca-duration", "2h"], "the lifetime of a CA must be longer"),
        (["manage", "--service", "a", "--overlap", "30s"], "the overlap must be longer than the settle"),
        (["manage", "--service", "a", "--interval", "10"], "--interval: time: missing unit"),
        (
            ["manage", "--service", "a", "--registration", "f", "--queueing-controllers", "kueue"],
            '"kueue" is not a service account; use NAMESPACE/NAME',
        ),
        (["manage", "--service", "a", "--kubeconfig", "/none"], "the kubeconfig /none does not exist"),
    ],
)  # fmt: skip
def test_a_mistake_is_reported(
    arguments: list[str],
    why: str,
    capsys: Captured,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert certs(*arguments) == 2
    output = capsys.readouterr().err
    assert why in output
    assert "Traceback" not in output
