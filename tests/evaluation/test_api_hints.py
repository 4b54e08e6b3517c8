"""Hints and fixes for errors whose words do not say what to write."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.api.formats import time_zones
from jobsworth.evaluation.fixes.zone_suggestions import (
    _ABBREVIATIONS,
    _CITIES_OF_ZONES,
    suggest_zone,
)
from support.cli.command_runs import Validate
from support.lint.manifests_with_findings import SOUND

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: etl}
spec:
  activeDeadlineSeconds: 3600
  template:
    spec:
      restartPolicy: Never
      volumes: [{name: dta, emptyDir: {}}, {name: config, configMap: {name: c}}]
      containers:
        - name: main
          image: registry.example.com/etl:1.4
          resources: {requests: {cpu: 1, memory: 1Gi}}
          volumeMounts: [{name: dta, mountPath: /data}]
"""
EXIT_CODES = SOUND.replace(
    "spec:\n",
    "spec:\n"
    "  podFailurePolicy:\n"
    "    rules:\n"
    "    - {action: FailJob, onExitCodes: {containerName: other, operator: In, values: [42]}}\n",
    1,
)
CRON = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "0 3 * * *"
  timeZone: Europe/Berlin
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: "b:1"}]}}}}
"""
ZONES = sorted(time_zones.known())


def told(validate: Validate, text: str) -> tuple[str, str, bool | None]:
    """The hint of the only error, the title of its fix, and whether that is safe."""
    loaded = validate("-o", "json", "a.yaml", files={"a.yaml": text}).loaded
    found = [each for each in loaded["results"][0]["findings"] if each["severity"] == "error"]
    assert len(found) == 1, found
    fix = found[0].get("fix", {})
    return found[0].get("hint", ""), fix.get("title", ""), fix.get("safe")


def cron(schedule: str = "0 3 * * *", zone: str = "Europe/Berlin") -> str:
    return CRON.replace('"0 3 * * *"', json.dumps(schedule)).replace("Europe/Berlin", zone)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            JOB.replace("[{name: dta, mountPath", "[{name: data, mountPath"),
            ('the Pod has no volume "data"; it has dta, config', "Set name: dta", False),
        ),
        (
            JOB.replace("[{name: dta, mountPath", "[{name: secrets, mountPath"),
            ('the Pod has no volume "secrets"; it has dta, config', "", None),
        ),
        (
            JOB.replace("[{name: dta, emptyDir: {}}, {name: config, configMap: {name: c}}]", "[]"),
            ('the Pod has no volume "dta": add it to spec.template.spec.volumes', "", None),
        ),
        (
            EXIT_CODES,
            ('the Pod has no container "other"; it has main', "Set containerName: main", False),
        ),
        (
            JOB.replace("3600", "2h"),
            ("", "Set activeDeadlineSeconds: 7200, which is 2h in seconds", True),
        ),
        (
            JOB.replace("activeDeadlineSeconds: 3600", "ttlSecondsAfterFinished: 1h"),
            ("", "Set ttlSecondsAfterFinished: 3600, which is 1h in seconds", True),
        ),
        (JOB.replace("3600", "soon"), ("", "", None)),
        (
            JOB.replace("spec:\n", "spec:\n  completionMode: Indexed\n  parallelism: 2\n", 1),
            ("set completions to the number of indexes", "", None),
        ),
        (
            JOB.replace("memory: 1Gi", "memory: 1GB"),
            ("write 1G (powers of 1000) or 1Gi (powers of 1024)", "", None),
        ),
        (JOB.replace("memory: 1Gi", "memory: 100mi"), ("", "Set 100Mi", True)),
        (cron("daily"), ("", 'Set schedule: "@daily"', True)),
        (cron("@dayly"), ("", 'Set schedule: "@daily"', True)),
        (cron(zone="Europe/Berlni"), ("", "Set timeZone: Europe/Berlin", True)),
        (
            cron(zone="Europe/Munich"),
            ("there is no such zone; Munich is in Europe/Berlin", "Set timeZone: Europe/Berlin", False),
        ),
        (
            cron(zone="Asia/Mumbai"),
            ("there is no such zone; Mumbai is in Asia/Kolkata", "Set timeZone: Asia/Kolkata", False),
        ),
        (
            cron(zone="CEST"),
            (
                "an abbreviation is not a time zone; use a city, such as Europe/Berlin",
                "Set timeZone: Europe/Berlin",
                False,
            ),
        ),
        (
            cron(zone="America/Lisa"),
            ("use a name of the tz database, such as Europe/Berlin or Etc/UTC", "", None),
        ),
    ],
)  # fmt: skip
def test_a_hint_says_what_to_write(
    validate: Validate, text: str, expected: tuple[str, str, bool | None]
) -> None:
    assert told(validate, text) == expected


@pytest.mark.parametrize("schedule", ["every day", "noon"])
def test_a_schedule_that_is_none_is_explained(validate: Validate, schedule: str) -> None:
    assert told(validate, cron(schedule))[0].startswith("a schedule has five fields: minute, hour")


@pytest.mark.parametrize("zone", [*_CITIES_OF_ZONES, *_ABBREVIATIONS])
def test_the_table_of_cities_names_real_zones(zone: str) -> None:
    assert time_zones.validate(zone) == []


def test_no_city_is_in_two_zones_and_none_is_a_zone() -> None:
    cities = [city for named in _CITIES_OF_ZONES.values() for city in named.split()]
    assert len(set(cities)) == len(cities)
    assert not {zone.rpartition("/")[2] for zone in ZONES}.intersection(cities)


@pytest.mark.parametrize(
    "name",
    [
        "Europe/Munich", "Europe/Bern", "America/Lisa", "Asia/Mumbai", "Asia/Osaka", "America/Miami",
        "Europe/Hamburg", "Asia/Beijing",
    ],
)  # fmt: skip
def test_another_city_is_never_a_safe_fix(name: str) -> None:
    found = suggest_zone(name, ZONES)
    assert found is None or not found.sure


@given(st.sampled_from([zone for zone in ZONES if "/" in zone]))
def test_case_is_a_safe_fix_if_it_is_unique(zone: str) -> None:
    found = suggest_zone(zone.lower(), ZONES)
    assert found is None or found.zone == zone or found.zone.lower() == zone.lower()


def test_a_volume_that_is_rejected_itself_is_not_missing(validate: Validate) -> None:
    """The API server does not count an invalid volume: no other name is right, and the cause is elsewhere."""
    job = JOB.replace("name: dta", "name: Dta")
    loaded = validate("-o", "json", "a.yaml", files={"a.yaml": job}).loaded
    (mount,) = (
        each for each in loaded["results"][0]["findings"] if "volumeMounts" in each["field"]
    )
    assert mount["hint"] == 'the volume "Dta" is rejected: correct it in spec.template.spec.volumes'
    assert "fix" not in mount


@pytest.mark.parametrize(
    ("written", "zone"),
    [
        *((name, "Etc/UTC") for name in ("UTC", "z", "Zulu", "GMT", "UTC+0", "gmt+0", "UTC+00:00")),
        ("CST", "America/Chicago"), ("CDT", "America/Chicago"), ("MDT", "America/Denver"),
        ("PST", "America/Los_Angeles"), ("PDT", "America/Los_Angeles"), ("EDT", "America/New_York"),
        ("IST", "Asia/Kolkata"), ("HKT", "Asia/Shanghai"), ("JST", "Asia/Tokyo"),
        ("AEST", "Australia/Sydney"), ("AEDT", "Australia/Sydney"), ("CEST", "Europe/Berlin"),
        ("EEST", "Europe/Helsinki"), ("WEST", "Europe/Lisbon"), ("BST", "Europe/London"),
        ("Antwerp", "Europe/Brussels"), ("Milan", "Europe/Rome"), ("Munich", "Europe/Berlin"),
        ("Lyon", "Europe/Paris"), ("Geneva", "Europe/Zurich"), ("Krakow", "Europe/Warsaw"),
        ("Brno", "Europe/Prague"), ("Wellington", "Pacific/Auckland"),
    ],
)  # fmt: skip
def test_a_zone_by_another_name_is_found(written: str, zone: str) -> None:
    meant = suggest_zone(written, ZONES)
    assert meant is not None
    assert meant.zone == zone


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        ("60 * * * *", "in field 1, the minute is 0 to 59"),
        ("0 6 * * 7", "in field 5, the day of the week is 0 (Sunday) to 6"),
        ("0 6 * 13 *", "in field 4, the month is 1 to 12 or JAN to DEC"),
        ("0 6 * *", "a schedule has five fields"),
    ],
)
def test_a_hint_names_the_wrong_field_of_a_schedule(
    validate: Validate, schedule: str, words: str
) -> None:
    text = f"apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: a}}\nspec: {{schedule: '{schedule}'}}\n"
    assert words in validate("a.yaml", files={"a.yaml": text}).out


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("OOMKilled", "an exit code is a number: that of OOMKilled is mostly 137"),
        ("SIGTERM", "that of SIGTERM is mostly 143"),
        ("broken", "an exit code is a number from 1 to 255"),
        ("0", "a container that exits with 0 has not failed"),
    ],
)
def test_an_exit_code_is_a_number_of_a_failure(validate: Validate, code: str, words: str) -> None:
    rule = f"{{action: FailJob, onExitCodes: {{operator: In, values: [{code}]}}}}"
    text = (
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n"
        f"  podFailurePolicy: {{rules: [{rule}]}}\n"
        "  template: {spec: {restartPolicy: Never, containers: [{name: a, image: 'a:1'}]}}\n"
    )
    assert words in validate("a.yaml", files={"a.yaml": text}).out


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "mian",
            'the Pod also has the container "main": if a patch is to change that one, correct the name',
        ),
        ("proxy", None),
    ],
)
def test_a_container_without_an_image_may_be_a_patch_of_one_with_another_name(
    name: str, expected: str | None, validate: Validate
) -> None:
    text = f"{SOUND}        - name: {name}\n          resources: {{limits: {{memory: 1Gi}}}}\n"
    hint, title, safe = told(validate, text)
    assert (hint or None, title or None, safe) == (expected, None, None)
