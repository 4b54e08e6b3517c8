"""The limits of the rule for characters that nobody sees, or that look like others."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import after_fix, cron_job, fields, found, job

MAIN = "template.spec.containers[0]"


def main(**parts: Any) -> dict[str, Any]:
    return job({"containers": [{"name": "main", "image": "tool:1", **parts}]})


def script(text: str) -> dict[str, Any]:
    return main(command=["sh", "-c", text])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("set -e\u00a0&& run", "U+00A0 (no-break space), which a shell takes for a part of a word"),
        ("run\u200b --all", "U+200B (zero width space): invisible, but passed to the program"),
        ("run \u201ca b\u201d", "U+201C (left double quotation mark), which quotes nothing"),
        ("MODE=\u2018fast\u2019 run", "U+2018 (left single quotation mark), which quotes nothing"),
        ("run \u2014all", "\u2014all begins with U+2014 (em dash)"),
        ("run 'a' \u2013rm", "Write --rm"),
    ],
)
def test_a_shell_takes_these_characters_for_parts_of_words(text: str, words: str) -> None:
    (finding,) = found("JW530", script(text))
    assert finding.field.endswith("command[2]")
    assert words in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "echo 'a\u00a0b \u201cc\u201d \u2014d'",
        'echo "it\u2019s done \u2014now" # \u201cso\u201d\u00a0far',
        "echo na\u00efve; run --all",
        "echo caf\u00e9 \u2014 done",
        "cat <<END\n\u201cquoted\u201d\nEND",
        "echo it\u2019s",
        "echo \U0001f469\u200d\U0001f4bb",
    ],
)
def test_text_in_a_script_may_have_them(text: str) -> None:
    assert fields("JW530", script(text)) == []


@pytest.mark.parametrize(
    ("parts", "field", "plain"),
    [
        ({"args": ["\u2014all"]}, "args[0]", "--all"),
        ({"args": ["\u2013v"]}, "args[0]", "-v"),
        ({"command": ["run\u200b"]}, "command[0]", "run"),
        ({"workingDir": "/data\u200b"}, "workingDir", "/data"),
        ({"env": [{"name": "A", "value": "\u201cfast\u201d"}]}, "env[0].value", "fast"),
        ({"env": [{"name": "A", "value": "fast\u00a0"}]}, "env[0].value", "fast"),
        ({"env": [{"name": "A", "value": "\ufefffast"}]}, "env[0].value", "fast"),
        ({"env": [{"name": "MODE ", "value": "a"}]}, "env[0].name", "MODE"),
    ],
)
@pytest.mark.parametrize("of", [lambda value: value, cron_job], ids=["Job", "CronJob"])
def test_a_program_gets_them_and_a_fix_removes_them(
    of: Any, parts: dict[str, Any], field: str, plain: str
) -> None:
    value = of(main(**parts))
    assert fields("JW530", value) == [f"{MAIN}.{field}"]
    fixed = after_fix("JW530", value)
    assert fields("JW530", fixed) == []
    assert repr(plain) in repr(fixed)


@pytest.mark.parametrize(
    "parts",
    [
        {"env": [{"name": "TITLE", "value": "\u201cA\u201d and b"}]},
        {"env": [{"name": "TITLE", "value": "\u2014 the end"}]},
        {"env": [{"name": "TITLE", "value": "10\u00a0000 km"}]},
        {"args": ["a \u2014 b", "\u2014", "caf\u00e9"]},
        {"args": ["\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"]},
        {"env": [{"name": "A", "value": " a "}, {"name": "A.B"}]},
    ],
)
def test_values_that_are_text_are_left_alone(parts: dict[str, Any]) -> None:
    assert fields("JW530", main(**parts)) == []


def test_a_script_of_several_lines_keeps_its_layout() -> None:
    (finding,) = found("JW530", script("set -e\nrun\u00a0all\n"))
    assert finding.fix is None
