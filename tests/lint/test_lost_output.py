"""The limits of the rule for backups that are gone with their Pod."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import fields, job

MOUNT = {"name": "backup", "mountPath": "/backup"}


def backup(
    text: str, volume: dict[str, Any] | None = None, *others: dict[str, Any]
) -> dict[str, Any]:
    main: dict[str, Any] = {"name": "main", "image": "tool:1", "command": ["sh", "-ec", text]}
    pod: dict[str, Any] = {"containers": [main, *others]}
    if volume is not None:
        main["volumeMounts"] = [MOUNT]
        pod["volumes"] = [{"name": "backup", **volume}]
    return job(pod)


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("pg_dump shop > /backup/shop.sql", True),
        ("pg_dump shop | gzip > /backup/shop-$(date +%F).gz", True),
        ("pg_dump -f /backup/shop.sql shop", True),
        ("pg_dump --file=/backup/shop.sql shop; ls -l /backup", True),
        ("mysqldump shop > /backup/a.sql && gzip /backup/a.sql", True),
        ("mongodump --out /backup/shop", True),
        ("pg_dump shop > /backup/a && aws s3 cp /backup/a s3://b", False),
        ("pg_dump shop > /backup/a; mv /backup/a /data", False),
        ("pg_dump shop | upload", False),
        ("pg_dump shop > /dev/null", False),
        ("echo started > /tmp/state; pg_dump shop", False),
        ("pg_dump shop 2> /tmp/errors && date > /tmp/state", False),
        ("pg_dump shop", False),
        ("tool > /backup/a", False),
    ],
)
def test_only_a_dump_that_nothing_takes_elsewhere_is_reported(text: str, reported: bool) -> None:
    assert bool(fields("JW258", backup(text))) is reported
    assert bool(fields("JW258", backup(text, {"emptyDir": {}}))) is reported
    claim = {"persistentVolumeClaim": {"claimName": "backups"}}
    assert fields("JW258", backup(text, claim)) == []


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("report > /backups/a.csv", True),
        ("mkdir -p /backups; report > /backups/a.csv", True),
        ("cp /tmp/a.csv /backups/", True),
        ("report > /backup/a.csv", False),
        ("report > /backups/a.csv; aws s3 cp /backups s3://b --recursive", False),
        ("report > /backup-of-the-year/a.csv", False),
        ("train --output-dir /results", True),
        ("train --output-dir=/backup/results", False),
        ("train --output-dir /results; upload /results", False),
        ("train --output-dir /tmp/results", False),
        ("report > /tmp/a.csv", False),
    ],
)
def test_a_file_beside_a_volume_is_lost(text: str, reported: bool) -> None:
    claim = {"persistentVolumeClaim": {"claimName": "backups"}}
    assert bool(fields("JW258", backup(text, claim))) is reported
    assert fields("JW258", backup(text, {"emptyDir": {}})) == []


def test_another_container_may_take_the_files_of_an_empty_dir() -> None:
    upload = {"name": "upload", "image": "tool:1", "volumeMounts": [MOUNT]}
    text = "pg_dump shop > /backup/shop.sql"
    assert fields("JW258", backup(text, {"emptyDir": {}}, upload)) == []
    assert fields("JW258", backup(text, None, upload)) != []


def test_a_command_without_a_shell_is_read_too() -> None:
    main = {"name": "main", "image": "tool:1", "command": ["pg_dump", "-f", "/backup/a", "shop"]}
    assert fields("JW258", job({"containers": [main]})) == [
        "template.spec.containers[0].command[0]"
    ]
