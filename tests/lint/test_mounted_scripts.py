"""Scripts and files of ConfigMaps and Secrets that a Job runs or reads."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import fields_beside, found_beside, job, stored

LOST = "#!/bin/sh\npg_dump shop > /backup/a.sql\naws s3 cp /backup/a.sql s3://b/\n"
AT = "template.spec.containers[0].command"


def running(*command: str, volume: dict[str, Any] | None = None, **main: Any) -> dict[str, Any]:
    """A Job that runs a command, with the ConfigMap scripts mounted at /scripts."""
    container = {
        "name": "main",
        "image": "registry.example.com/tools:1",
        "command": list(command),
        "volumeMounts": [{"name": "scripts", "mountPath": "/scripts"}],
        **main,
    }
    source = volume or {"configMap": {"name": "scripts", "defaultMode": 0o755}}
    return job({"containers": [container], "volumes": [{"name": "scripts", **source}]})


def holding(text: str, key: str = "run.sh", kind: str = "ConfigMap") -> dict[str, Any]:
    field = "data" if kind == "ConfigMap" else "stringData"
    return stored(kind, "scripts", **{field: {key: text}})


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (running("sh", "/scripts/run.sh"), f"{AT}[1]"),
        (running("/scripts/run.sh"), f"{AT}[0]"),
        (running("bash", "-x", "/scripts/run.sh", "now"), f"{AT}[2]"),
        (running("sh", "-c", "echo a; /scripts/run.sh"), f"{AT}[2]"),
        (running("sh", "run.sh", workingDir="/scripts"), f"{AT}[1]"),
        (
            running(
                "/scripts/do",
                volume={
                    "configMap": {"name": "scripts", "items": [{"key": "run.sh", "path": "do"}]}
                },
            ),
            f"{AT}[0]",
        ),
        (
            running(
                "/scripts/run.sh",
                volume={"projected": {"sources": [{"configMap": {"name": "scripts"}}]}},
            ),
            f"{AT}[0]",
        ),
        (running("sh", "/other/run.sh"), None),
        (running("sh", "-e", "/scripts/run.sh"), None),
        (running("sh", "-c", "set -e", "/scripts/run.sh"), None),
        (running("cat", "/scripts/run.sh"), None),
    ],
)
def test_a_script_of_a_volume_is_read_like_one_in_the_command_line(
    value: dict[str, Any], field: str | None
) -> None:
    assert fields_beside("JW222", value, holding(LOST)) == ([] if field is None else [field])


def test_a_finding_in_a_mounted_script_says_where_it_is() -> None:
    (finding,) = found_beside("JW222", running("sh", "/scripts/run.sh"), holding(LOST))
    assert finding.message.endswith("(In line 2 of run.sh in the ConfigMap scripts.)")
    assert finding.line == 0


def test_a_script_of_a_secret_and_one_that_another_one_runs_are_read() -> None:
    secret = {"secret": {"secretName": "scripts"}}
    value = running("sh", "/scripts/run.sh", volume=secret)
    assert fields_beside("JW222", value, holding(LOST, kind="Secret")) == [f"{AT}[1]"]
    both = stored(
        "ConfigMap", "scripts", data={"run.sh": "#!/bin/sh\n/scripts/b.sh\n", "b.sh": LOST}
    )
    assert fields_beside("JW222", running("sh", "/scripts/run.sh"), both) == [f"{AT}[1]"]


def test_an_object_in_the_own_file_is_meant_before_those_of_other_files() -> None:
    from jobsworth.lint.neighbors import CONFIG_MAP, Neighbor, Neighbors

    both = [Neighbor(CONFIG_MAP, "", "a", "other.yaml"), Neighbor(CONFIG_MAP, "", "a", "")]
    neighbors = Neighbors(lambda: both, lambda: (), lambda: ())
    assert [each.file for each in neighbors.reachable(CONFIG_MAP, "a", "")] == [""]


PYTHON = "try:\n    work()\nexcept {}:\n    {}\n"


@pytest.mark.parametrize(
    ("text", "hides"),
    [
        (PYTHON.format("Exception as e", "print(e)"), True),
        (PYTHON.format("Exception", "logging.exception('failed')"), True),
        ("def main():\n    try:\n        work()\n    except:\n        pass\n\nmain()\n", True),
        (
            "if __name__ == '__main__':\n    try:\n        work()\n    except Exception:\n        pass\n",
            True,
        ),
        (PYTHON.format("OSError as e", "print(e)"), False),
        (PYTHON.format("Exception as e", "raise"), False),
        (PYTHON.format("Exception as e", "sys.exit(1)"), False),
        (PYTHON.format("Exception as e", "failed = True") + "sys.exit(failed)\n", False),
        (PYTHON.format("Exception as e", "print(e)") + "sys.exit(code)\n", False),
        ("for a in b:\n    try:\n        work(a)\n    except Exception:\n        pass\n", False),
        ("try:\n    import a\nexcept Exception:\n    pass\nwork()\n", False),
        ("try: (\n", False),
    ],
)
def test_python_that_catches_every_failure_hides_it(text: str, hides: bool) -> None:
    mounted = fields_beside("JW222", running("python3", "/scripts/a.py"), holding(text, "a.py"))
    inline = fields_beside("JW222", running("python3", "-c", text))
    heredoc = fields_beside("JW222", running("sh", "-c", f"python3 <<'EOF'\n{text}EOF\n"))
    at = [f"{AT}[1]"], [f"{AT}[2]"], [f"{AT}[2]"]
    assert (mounted, inline, heredoc) == (at if hides else ([], [], []))


@pytest.mark.parametrize(
    ("text", "hides"),
    [
        ("main().catch(console.error)\n", True),
        ("main().catch((e) => { console.error(e); });\n", True),
        ("main().catch((e) => { console.error(e); process.exit(1) });\n", False),
        ("main();\n", False),
    ],
)
def test_javascript_that_only_prints_a_rejection_hides_it(text: str, hides: bool) -> None:
    assert bool(fields_beside("JW222", running("node", "-e", text))) is hides


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("alembic upgrade head\npython seed.py", True),
        ("python manage.py migrate; python manage.py collectstatic", True),
        ("npx prisma migrate deploy\nnode seed.js", True),
        ("for a in x y; do pg_dump $a > /backup/$a.sql; done", True),
        ("restic backup /data\nrestic check", True),
        ("set -e\nalembic upgrade head\npython seed.py", False),
        ("alembic upgrade head && python seed.py", False),
        ("alembic upgrade head || exit 1\npython seed.py", False),
        ("alembic upgrade head\n[ $? = 0 ] || exit 1\npython seed.py", False),
        ("python check.py\nalembic upgrade head", False),
        ("if ! alembic upgrade head; then exit 1; fi\npython seed.py", False),
    ],
)
def test_a_script_does_not_go_on_after_a_migration_that_failed(text: str, reported: bool) -> None:
    assert bool(fields_beside("JW222", running("sh", "-c", text))) is reported


@pytest.mark.parametrize(
    ("key", "text", "reported"),
    [
        ("a.yaml", "a: 1\nb: 2\na: 3\n", True),
        ("a.yml", "x:\n  a: 1\n  a: 2\n", True),
        ("a.json", '{\n"a": 1,\n"a": 2}\n', True),
        ("a.yaml", "a: 1\nb:\n  a: 2\n", False),
        ("a.yaml", "a: [\n", False),
        ("a.txt", "a: 1\na: 2\n", False),
    ],
)
def test_a_key_is_once_in_a_mounted_file(key: str, text: str, reported: bool) -> None:
    found = fields_beside("JW707", running("work"), holding(text, key))
    assert found == (["template.spec.volumes[0].configMap.name"] if reported else [])
