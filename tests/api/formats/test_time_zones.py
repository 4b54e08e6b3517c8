"""Time zones, as Go loads them and a CronJob names them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jobsworth.api.formats.time_zones import known, unknown, validate

EXPLICIT = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"


@pytest.mark.parametrize(
    "name", ["Europe/Berlin", "America/Argentina/Ushuaia", "Etc/GMT+12", "UTC", "EST"]
)
def test_knows_the_zones_of_the_database(name: str) -> None:
    assert name in known()
    assert unknown(name) is None
    assert validate(name) == []


@pytest.mark.parametrize(
    ("name", "details"),
    [
        ("", ["timeZone must be nil or non-empty string"]),
        ("Local", [EXPLICIT]),
        ("local", [EXPLICIT, "unknown time zone local"]),
        ("europe/berlin", ["unknown time zone europe/berlin"]),
        ("Europe", ["unknown time zone Europe"]),
        ("Europe//Berlin", ["unknown time zone Europe//Berlin"]),
        ("../etc", ["unknown time zone ../etc"]),
        ("a..b", ["time: invalid location name"]),
        ("X" * 15, ["unknown time zone XXXXXXXXXXXXXXX"]),
    ],
)
def test_rejects_with_the_message_of_the_server(name: str, details: list[str]) -> None:
    assert validate(name) == details


@pytest.mark.parametrize("name", ["..", "../UTC", "/UTC", "\\UTC"])
def test_go_loads_no_file_from_elsewhere(name: str) -> None:
    assert unknown(name) == "time: invalid location name"


@pytest.mark.parametrize("name", ["", "UTC", "Local"])
def test_go_knows_three_names_without_a_database(name: str) -> None:
    assert unknown(name) is None


def test_the_database_has_all_its_names() -> None:
    assert len(known()) == 598
    assert all(name == name.strip() and not name.endswith(":") for name in known())


def test_answers_as_upstream(recorded: Callable[[str], list[Any]]) -> None:
    cases = recorded("time_zones")
    answers = [[name, unknown(name) or "", validate(name)] for name, _, _ in cases]
    assert answers == cases
