"""Settings of a command line take precedence over those of a configuration, setting by setting."""

from __future__ import annotations

import pytest

from jobsworth.files.configuration.settings import Settings, merged

A, B, C = (frozenset({code}) for code in ("JW101", "JW102", "JW103"))


@pytest.mark.parametrize(
    ("over", "under", "wanted"),
    [
        (Settings(release="1.30"), Settings(release="1.31"), Settings(release="1.30")),
        (Settings(), Settings(release="1.31"), Settings(release="1.31")),
        (Settings(namespace=""), Settings(namespace="batch"), Settings(namespace="")),
        (
            Settings(allow_privileged=False),
            Settings(allow_privileged=True),
            Settings(allow_privileged=False),
        ),
        (Settings(ignore=A), Settings(ignore=B), Settings(ignore=A | B)),
        (
            Settings(select=A, named=A, ignore=B),
            Settings(select=C, named=C, ignore=C),
            Settings(select=A, named=A, ignore=B),
        ),
        (
            Settings(select=A, named=A),
            Settings(severity={}),
            Settings(select=A, named=A, severity={}),
        ),
        (Settings(), Settings(profile_enforcement="deny"), Settings()),
        (
            Settings(profile="baseline"),
            Settings(profile_enforcement="deny"),
            Settings(profile="baseline", profile_enforcement="deny"),
        ),
        (Settings(policy=("a",)), Settings(policy=("b",)), Settings(policy=("a",))),
    ],
)
def test_what_is_given_on_the_command_line_wins(
    over: Settings, under: Settings, wanted: Settings
) -> None:
    assert merged(over, under) == wanted.replace(gates={})


def test_feature_gates_add_up() -> None:
    over, under = (
        Settings(gates={"A": True}),
        Settings(gates={"A": False, "B": True}, gates_file="f"),
    )
    assert merged(over, under) == Settings(gates={"A": True, "B": True}, gates_file="f")
