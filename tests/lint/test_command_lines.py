"""The limits of the rules for command lines that need a shell, or that a shell does not read as a whole."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import after_fix, fields, job

MAIN = "template.spec.containers[0]"


def main(**parts: Any) -> dict[str, Any]:
    return job({"containers": [{"name": "main", "image": "tool:1", **parts}]})


def script(text: str, *words: str) -> dict[str, Any]:
    return main(command=["sh", "-c", text, *words])


@pytest.mark.parametrize(
    ("parts", "field"),
    [
        ({"command": ["python train.py --epochs 3"]}, "command[0]"),
        ({"command": ["/opt/train --all"], "args": ["--more"]}, "command[0]"),
        ({"command": ["timeout", "60", "python train.py"]}, "command[2]"),
        ({"command": ["python\ttrain.py"]}, "command[0]"),
    ],
)
def test_a_command_line_in_one_word_is_reported(parts: dict[str, Any], field: str) -> None:
    assert fields("JW531", main(**parts)) == [f"{MAIN}.{field}"]


@pytest.mark.parametrize(
    "parts",
    [
        {"command": ["python", "train.py --all"]},
        {"command": ["sh", "-c", "python train.py"]},
        {"command": ["timeout", "60"]},
        {"command": ["train "]},
        {"command": [" train"]},
        {"command": ["$(PROGRAM) --all"]},
        {"command": []},
        {"args": ["python train.py"]},
    ],
)
def test_other_command_lines_have_words(parts: dict[str, Any]) -> None:
    assert fields("JW531", main(**parts)) == []


def test_on_windows_a_program_has_spaces_in_its_name() -> None:
    value = main(command=["Programs and more/train.exe"])
    assert fields("JW531", value) == [f"{MAIN}.command[0]"]
    value["spec"]["template"]["spec"]["nodeSelector"] = {"kubernetes.io/os": "windows"}
    assert fields("JW531", value) == []


def test_the_fix_splits_plain_words_alone() -> None:
    fixed = after_fix("JW531", main(command=["timeout", "60", "python train.py"]))
    container = fixed["spec"]["template"]["spec"]["containers"][0]
    assert container["command"] == ["timeout", "60", "python", "train.py"]


@pytest.mark.parametrize(
    ("parts", "field"),
    [
        ({"command": ["train", "a", "&&", "b"]}, "command[2]"),
        ({"command": ["train", "a", "||", "b"]}, "command[2]"),
        ({"command": ["train"], "args": ["a", ">", "/out/log"]}, "args[1]"),
        ({"command": ["train", "a", "|", "tee", "log"]}, "command[2]"),
        ({"command": ["train", "2>&1"]}, "command[1]"),
        ({"command": ["cd", "/app", ";", "train"]}, "command[2]"),
        ({"command": ["rm", "-rf", "/data/*"]}, "command[2]"),
        ({"command": ["nice", "cp", "/in/[ab].csv", "/out"]}, "command[2]"),
        ({"command": ["train", "--out=$HOME/a"]}, "command[1]"),
        ({"command": ["train", "$HOME", "&&", "b"]}, "command[1]"),
        ({"command": ["train", "--out", "${OUT}"], "env": [{"name": "OUT"}]}, "command[2]"),
        ({"command": ["train"], "args": ["$OUT"], "env": [{"name": "OUT"}]}, "args[0]"),
    ],
)
def test_the_syntax_of_a_shell_without_one_is_reported(parts: dict[str, Any], field: str) -> None:
    assert fields("JW532", main(**parts)) == [f"{MAIN}.{field}"]


@pytest.mark.parametrize(
    "parts",
    [
        {"command": ["sh", "-c", "a && b > c"]},
        {"command": ["timeout", "60", "sh", "-c", "rm /data/*"]},
        {"args": ["a", "&&", "b"]},
        {"command": ["find", "/data", "-exec", "rm", "{}", ";"]},
        {"command": ["cut", "-d", "|", "-f1", "a"]},
        {"command": ["expr", "1", "|", "2"]},
        {"command": ["ssh", "host", "a", "&&", "b"]},
        {"command": ["psql", "-c", "select $HOME"]},
        {"command": ["awk", "$HOME"]},
        {"command": ["train", "$OTHER"], "env": [{"name": "OUT"}]},
        {"command": ["train", "$(OUT)"], "env": [{"name": "OUT"}]},
        {"command": ["train", "/data/*"]},
        {"command": ["rm", "--one-file-system=*"]},
        {"command": ["train", "a&&b"]},
    ],
)
def test_what_a_program_may_mean_is_not_reported(parts: dict[str, Any]) -> None:
    assert fields("JW532", main(**parts)) == []


@pytest.mark.parametrize(
    ("text", "words", "reported"),
    [
        ("python", ["train.py"], True),
        ("train", ["--epochs", "3"], True),
        ("train --all", ["--epochs", "3"], True),
        ("train; echo", ["sh", "a"], True),
        ("train", [], False),
        ("train", [""], False),
        ("", ["train"], False),
        ("train", ["--"], False),
        ("train --all", ["train"], False),
        ('exec "$@"', ["--", "train"], False),
        ("train $1", ["sh", "a"], False),
        ("train ${1:-a}", ["sh", "a"], False),
        ("$0", ["train"], False),
        ("shift; train", ["sh", "a"], False),
        (". /lib.sh; train", ["sh", "a"], False),
        ("$(SCRIPT)", ["sh", "a"], False),
        ('eval "$SCRIPT"', ["sh", "a"], False),
        ("source /lib.sh; train", ["sh", "a"], False),
        ('for each; do echo "$each"; done', ["sh", "a"], False),
    ],
)
def test_only_words_that_no_script_reads_are_reported(
    text: str, words: list[str], reported: bool
) -> None:
    assert bool(fields("JW533", script(text, *words))) is reported


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("set -e python prepare.py python train.py", True),
        ("set -euo pipefail python train.py", True),
        ("cd /app python train.py", True),
        ("export A=b python train.py", True),
        ("set -euo pipefail; python train.py", False),
        ("set -e -o pipefail\npython train.py", False),
        ("set -- a b", False),
        ("set -e a b; for each; do echo $1; done", False),
        ("cd /app && python train.py", False),
        ("cd -P /app", False),
        ("export A=b C D=e", False),
        ("export A=b $MORE", False),
    ],
)
def test_lines_that_a_folded_block_joins_are_reported(text: str, reported: bool) -> None:
    assert bool(fields("JW533", script(text))) is reported


def test_words_in_args_follow_the_script_of_the_command() -> None:
    assert fields("JW533", main(command=["sh", "-c", "python"], args=["train.py"])) == [
        f"{MAIN}.command[2]"
    ]
    assert fields("JW533", main(command=["sh", "-c"], args=["python train.py"])) == []


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("train &", True),
        ("nohup train > log 2>&1 &", True),
        ("train & sleep 5", True),
        ("prepare; train & echo started", True),
        ("train\n", False),
        ("proxy & train", False),
        ("train & wait", False),
        ("train & wait $!", False),
        ("train & other & wait", False),
        ("train & sleep infinity", False),
        ("train & tail -f /dev/null", False),
        ("sleep 5 & train", False),
        ("sleep 5 &", False),
        ("for i in 1 2; do train $i & done", False),
        ("(a; b) & train", False),
        ("if a; then b & fi; c", False),
    ],
)
def test_only_work_that_a_script_leaves_behind_is_reported(text: str, reported: bool) -> None:
    assert bool(fields("JW534", script(text))) is reported


def test_an_init_container_ends_with_its_script_too() -> None:
    value = main()
    init = {"name": "init", "image": "tool:1", "command": ["sh", "-c", "prepare &"]}
    value["spec"]["template"]["spec"]["initContainers"] = [init]
    assert fields("JW534", value) == ["template.spec.initContainers[0].command[2]"]
