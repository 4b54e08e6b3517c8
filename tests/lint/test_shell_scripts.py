"""Shell scripts in command lines: how they are read, and the rules on the exit codes that they lose."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.lint.container_start import ContainerStart, container_starts
from jobsworth.lint.shell_script import MAX_LENGTH, MAX_NESTING, ShellScript
from support.lint.linted_jobs import cron_job, fields, found, job, on_codes, with_policy
from support.scaling.cost_growth import Action, superlinear_calls

MAIN = "template.spec.containers[0]"


def container(*command: str, **parts: Any) -> dict[str, Any]:
    return {"name": "main", "image": "tool:1", "command": list(command), **parts}


def running(script: str, shell: str = "sh", option: str = "-c", **spec: Any) -> dict[str, Any]:
    return job({"containers": [container(shell, option, script)]}, **spec)


def started(value: dict[str, Any]) -> ContainerStart:
    (start,) = container_starts([("main", value)], {})
    return start


def commands(text: str) -> list[list[str]]:
    return [command.words for command in ShellScript(text).commands]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("if a; then b; else c; fi; d", [(), ("a ;",), ("?",), ()]),
        ("if a; then case $x in 1) b ;; esac; c; fi", [(), ("a ;", "?"), ("a ;",)]),
        ("if a; then while b; do c; done; d; fi", [(), ("a ;",), ("a ;",), ("a ;",)]),
    ],
)
def test_a_command_has_the_conditions_of_the_clauses_around_it(
    text: str, expected: list[tuple[str, ...]]
) -> None:
    assert [command.conditions for command in ShellScript(text).commands] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a; b c\nd & e", [["a"], ["b", "c"], ["d"], ["e"]]),
        ("a && b || c | d", [["a"], ["b"], ["c"], ["d"]]),
        ("echo 'a; b' \"c; d\" e\\;f", [["echo", "a; b", "c; d", "e;f"]]),
        ("a # b; c\nd", [["a"], ["d"]]),
        ("case $x in a) b;; c|d) e; esac; f", [["b"], ["e"], ["f"]]),
        ("a \\\n  b", [["a", "b"]]),
        ("a > out 2>&1 <in &> all", [["a"]]),
        ("a $(b; c) `d; e` ${f:-;}", [["a", "$(b; c)", "`d; e`", "${f:-;}"]]),
        ("A=1 B=$(c) d e", [["d", "e"]]),
        ("cat <<EOF > f\nx; y | z\nEOF\nb", [["cat"], ["b"]]),
        ("cat <<-'EOF'\n\tx\n\tEOF\nb", [["cat"], ["b"]]),
        ("cat <<< 'x'; b", [["cat"], ["b"]]),
        ("if a; then b; else c; fi; d", [["a"], ["b"], ["c"], ["d"]]),
        ("for x in 1 2; do a $x; done", [["a", "$x"]]),
        ("case $x in a|b) c ;; (*) d ;; esac; e", [["c"], ["d"], ["e"]]),
        ("f() { a; }; f", [["a"], ["f"]]),
        ("function f { a; }; f", [["a"], ["f"]]),
        ("(a; b) && { c; }", [["a"], ["b"], ["c"]]),
        ("[[ a && b ]] && c", [["[[", "a && b", "]]"], ["c"]]),
        ("exec sudo /bin/a b", [["/bin/a", "b"]]),
        ("a <(b; c) d", [["a", "d"]]),
        ("a=(b c) d+=(--e); f", [["f"]]),
        ("a=(\n  b\n  c\n)\nd", [["d"]]),
        ("cat <<EOF | b && c\nx\nEOF\nd", [["cat"], ["b"], ["c"], ["d"]]),
        ("until a; do b; done", [["a"], ["b"]]),
        ("timeout -k 5 60 nice a b", [["a", "b"]]),
        ("env A=b c", [["c"]]),
        ('a "$(b "c; d")" e; f', [["a", '$(b "c; d")', "e"], ["f"]]),
        ("if a; then b", []),
        ("'if' a; \"done\"; `b`; 'A=1' c", [["if", "a"], ["done"], ["`b`"], ["A=1", "c"]]),
        ("((i++)); b", [["((", "i++", "))"], ["b"]]),
        ("cat <<  E\nx; y\nE\nb", [["cat"], ["b"]]),
        ('a "b\\"c; d" e', [["a", 'b\\"c; d', "e"]]),
        ("a $(b 'c)' \"d)\" e) f", [["a", "$(b 'c)' \"d)\" e)", "f"]]),
        ("items=(a b c)\nd", [["d"]]),
        ('args+=(--all)\nd "${args[@]}"', [["d", "${args[@]}"]]),
        ("items=(\n  a  # it's one\n  'b c' \"d)\"\n)\ne", [["e"]]),
        (
            "declare -a items=(a b); local x=(); c",
            [["declare", "-a", "items=(a b)"], ["local", "x=()"], ["c"]],
        ),
        ("items=($(a b)); c", [[], ["c"]]),
        ("counts[$key]=1; counts[0]+=(2 3); a", [["a"]]),
        ("x=; (a; b)", [["a"], ["b"]]),
        ("a $(b # it's c)\n) d", [["a", "$(b # it's c)\n)", "d"]]),
        ("a b (c); d", []),
        ("f(x) { a; }", []),
        ("case x in a", []),
        ("then a", []),
        ("a $(b 'c", []),
        ("a 'b", []),
        ("a $(b", []),
        ("done", []),
        ("{ " * (MAX_NESTING + 2) + "a;" + " }" * (MAX_NESTING + 2), []),
        ("a" + " " * MAX_LENGTH, []),
    ],
)
def test_a_script_is_split_into_its_commands(text: str, expected: list[list[str]]) -> None:
    assert commands(text) == expected


@pytest.mark.parametrize(
    ("text", "last", "closed"),
    [
        ("a; b && c || d", ["b"], False),
        ("a; if b; then c; fi", ["b"], True),
        ("if b; then c; fi; d", ["d"], False),
        ("{ a; b; } || true", ["a"], False),
        ("a\n\n", ["a"], False),
    ],
)
def test_the_last_list_of_a_script_is_known(text: str, last: list[str], closed: bool) -> None:
    script = ShellScript(text)
    assert script.commands[script.last].words == last
    assert script.closed is closed


@pytest.mark.parametrize(
    ("command", "args", "field", "errexit", "pipefail"),
    [
        (["sh", "-c", "a"], [], "command[2]", False, False),
        (["/bin/bash"], ["-euxo", "pipefail", "-c", "a"], "args[3]", True, True),
        (["bash", "-ec"], ["a", "arg"], "args[0]", True, False),
        (["bash", "-c"], ["set -eo pipefail; a"], "args[0]", True, True),
        (["bash", "-c"], ["set -o errexit; set -o pipefail; a"], "args[0]", True, True),
        (["bash", "-ec"], ["set +e; a"], "args[0]", False, False),
        (["bash", "-c"], ["set -o pipefail -e; a"], "args[0]", True, True),
        (["bash", "-c"], ["set -oe pipefail; a"], "args[0]", True, True),
        (["bash", "-ec"], ["set +eo pipefail; a"], "args[0]", False, False),
        (["bash", "-O", "extglob", "-e", "-c", "a"], [], "command[5]", True, False),
        (["bash", "-ec", "--", "a"], [], "command[3]", True, False),
        (["timeout", "-k", "5", "60", "sh", "-ec"], ["a"], "args[0]", True, False),
        (["/usr/bin/env", "A=b", "bash", "-ec", "a"], [], "command[4]", True, False),
        (["tini", "--", "sh", "-ec", "a"], [], "command[4]", True, False),
        (["dumb-init"], ["busybox", "sh", "-ec", "a"], "args[3]", True, False),
        (["gosu", "app", "sh", "-ec", "a"], [], "command[4]", True, False),
        # What follows the first word that is not an option are the positional parameters.
        (["bash", "-c"], ["set -- -e; a"], "args[0]", False, False),
        (["bash", "-c"], ["set - -e; a"], "args[0]", False, False),
        (["bash", "-c"], ["set x -e -o pipefail; a"], "args[0]", False, False),
        (["bash", "-ec"], ["set -u -- +e; a"], "args[0]", True, False),
        # Options may end with --, and a wrapper may start the shell.
        (["bash", "-ec", "--"], ["a"], "args[0]", True, False),
        (["timeout", "-k", "5", "60", "sh", "-ec", "a"], [], "command[6]", True, False),
        (["/usr/bin/tini", "--"], ["sh", "-ec", "a"], "args[2]", True, False),
        (["dumb-init", "sh", "-ec", "a"], [], "command[3]", True, False),
        (["/usr/bin/env", "-u", "B", "A=1", "bash", "-ec", "a"], [], "command[6]", True, False),
        (["busybox", "sh", "-ec", "a"], [], "command[3]", True, False),
        (["sh", "-c", "-c", "a"], [], "command[3]", False, False),
        (["bash", "-c", "-e", "a"], [], "command[3]", True, False),
        (["/bin/sh", "-c"], ["-c", "a"], "args[1]", False, False),
        (["bash", "-c", "-eo", "pipefail", "a"], [], "command[4]", True, True),
        (["sh", "-ce", "a"], [], "command[2]", True, False),
        (["bash", "--rcfile", "/etc/rc", "-c", "a"], [], "command[4]", False, False),
        (["sh", "-c", "--", "a"], [], "command[3]", False, False),
        (["sh", "-c", "+e", "a"], [], "command[3]", False, False),
    ],
)
def test_the_script_of_a_container_is_found(
    command: list[str], args: list[str], field: str, errexit: bool, pipefail: bool
) -> None:
    found = started({"command": command, "args": args})
    assert found.script is not None
    assert found.field == f"main.{field}"
    assert (found.script.errexit, found.script.pipefail) == (errexit, pipefail)


@pytest.mark.parametrize(
    ("end", "reported"),
    [
        ("echo done", True),
        ("echo done >&2", True),
        ("echo done 2>> /var/log/errors", True),
        ("echo done > /dev/termination-log", True),
        ("echo done > /proc/1/fd/1", True),
        ("echo done >> /boot/test13", False),
        ("> /data/ready echo done", False),
        ("printf '%s' a >| /data/ready 2>&1", False),
        ("date &> /data/last-run", False),
        ("echo 3 > /proc/sys/vm/drop_caches", False),
        ("curl -s localhost:8080/out > /data/out", False),
    ],
)
def test_an_echo_into_a_file_may_be_the_work(end: str, reported: bool) -> None:
    found_at = [f"{MAIN}.command[2]"] if reported else []
    assert fields("JW222", running(f"prepare /boot\n{end}")) == found_at


@pytest.mark.parametrize("shell", ["bash", "dash"])
@pytest.mark.parametrize(
    "words",
    [
        ["-c", "S"], ["-c", "-c", "S"], ["-c", "-e", "S"], ["-c", "-x", "S"], ["-c", "--", "S"], ["-c", "-", "S"],
        ["-e", "-c", "-u", "S"], ["-c", "+e", "S"], ["-ce", "S", "a"], ["-c", "-l", "S"], ["-s", "-c", "S"],
        ["--", "-c", "S"], ["-c"], ["-c", "-e"],
    ],
)  # fmt: skip
def test_a_shell_runs_the_word_that_is_read_as_the_script(shell: str, words: list[str]) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    line = [program, *(word.replace("S", "exit 42") for word in words)]
    found = started({"command": line}).script
    code = subprocess.run(line, check=False, capture_output=True).returncode
    assert (code == 42) == (found is not None and found.text == "exit 42")


def test_options_after_the_first_one_of_the_shell_are_no_words_after_the_script() -> None:
    for options in (["-c", "-c"], ["-c", "-x"], ["-c", "-e"]):
        value = job({"containers": [container("sh", *options, "python work.py; true")]})
        assert fields("JW533", value) == []
        lost = [] if "-e" in options else [f"{MAIN}.command[3]"]
        assert fields("JW222", value) == lost


def test_a_failure_policy_hears_nothing_of_init_containers() -> None:
    pod = {"initContainers": [{**container("sh", "-c", "work; exit 0"), "name": "init"}]}
    value = with_policy(on_codes("FailJob", "In", 42), pod=pod)
    assert fields("JW126", value) == []


def test_the_script_may_be_the_only_argument() -> None:
    value = job(
        {"containers": [{"name": "main", "image": "tool:1", "args": ["sh", "-c", "work; true"]}]}
    )
    assert fields("JW222", value) == [f"{MAIN}.args[2]"]


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["python", "-c", "a"],
        ["sh", "run.sh"],
        ["bash", "-c"],
        ["bash", "-c", "--"],
        ["timeout", "60"],
        ["timeout", "60", "python", "-c", "a"],
        ["env", "--"],
    ],
)
def test_other_command_lines_have_no_script(command: list[str]) -> None:
    assert started({"command": command}).script is None


PIECES = [
    *"ab $(){}'\"`\\|&;<>#\n=![]",
    "if ",
    "then ",
    "fi ",
    "case ",
    " in ",
    "esac ",
    "<<a\n",
    "$(",
]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_every_text_can_be_read_as_a_script(text: str) -> None:
    script = ShellScript(text)
    assert 0 <= script.last <= len(script.commands)
    assert all(command.words or command.assigns for command in script.commands)


@pytest.mark.parametrize(
    ("script", "reported"),
    [
        ("work; exit 0", True),
        ("work\nexit 0\n", True),
        ("work || true", True),
        ("work || :", True),
        ("echo start; work && more || exit 0", True),
        ("work & wait", True),
        ("set -e; for r in a b; do work $r & done; wait", True),
        ("for r in a b; do work $r; done & wait", True),
        ("{ work; more; } & wait", True),
        ("(cd x && work) & wait", True),
        ("work && more & wait", True),
        ("set -e; work & more & wait", True),
        ("set -e; work || true", True),
        ("X=$(work); true", True),
        ("work", False),
        ("work && exit 0", False),
        ("work || exit 1", False),
        ("work || echo 'failed, as expected'", False),
        ("set -e; work; exit 0", False),
        ("set -e; work; rm -f lock || true", False),
        ("sleep 30; exit 0", False),
        ("if ! work; then exit 1; fi; exit 0", False),
        ("until work; do sleep 1; done; exit 0", False),
        ("work || code=$?; clean; exit $code", False),
        ("work & wait $!", False),
        ("[ -f done ] || exit 0", False),
        ("for x in a b; do work $x || true; done", False),
    ],
)
def test_a_script_that_always_exits_with_0_is_reported(script: str, reported: bool) -> None:
    expected = [f"{MAIN}.command[2]"] if reported else []
    assert fields("JW222", running(script)) == expected
    assert fields("JW222", cron_job(running(script))) == expected


def test_preparations_in_an_init_container_may_fail() -> None:
    pod = {"initContainers": [{**container("sh", "-c", "chown a b || true"), "name": "init"}]}
    assert fields("JW222", job(pod)) == []


@pytest.mark.parametrize(
    ("script", "reported"),
    [
        ("work; more", True),
        ("work\nmore\n", True),
        ("for x in a b; do work $x; done; more", True),
        ("work && more", False),
        ("set -e\nwork\nmore", False),
        ("echo start; work", False),
        ("work || echo failed; last", False),
        ("work; if [ $? -ne 0 ]; then exit 1; fi; more", False),
        ("if work; then more; fi", False),
        ("work; exit 0", False),
        ("found=$(work); more $found", False),
        ("curl -o /tmp/a https://example.com/a; more /tmp/a", False),
        ("mkdir -p /out; more > /out/a", False),
    ],
)
def test_a_script_that_continues_after_a_failure_is_reported(script: str, reported: bool) -> None:
    assert fields("JW223", running(script)) == ([f"{MAIN}.command[2]"] if reported else [])


def test_a_shell_may_get_its_options_on_the_command_line() -> None:
    assert fields("JW223", running("work; more", option="-ec")) == []


@pytest.mark.parametrize(
    ("script", "reported"),
    [
        ("work | sort", True),
        ("set -e; work | sort > log; more", True),
        ("work | sort > log; more", False),
        ("work | tee log", False),
        ("set -o pipefail; work | sort", False),
        ("echo a | work", False),
        ("work | grep ok", False),
        ("work | tee log || more", False),
        ("if work | tee log; then more; fi", False),
    ],
)
def test_a_pipe_that_hides_a_failure_is_reported(script: str, reported: bool) -> None:
    assert fields("JW224", running(script)) == ([f"{MAIN}.command[2]"] if reported else [])


@pytest.mark.parametrize("script", ["work; exit 0", "work | tee log"])
def test_a_failure_policy_makes_a_hidden_exit_code_one_warning(script: str) -> None:
    pod = {"containers": [container("sh", "-c", script)]}
    for policy in (with_policy(on_codes("FailJob", "In", 42), pod=pod), _with_reasons(job(pod))):
        assert fields("JW126", policy) == [f"{MAIN}.command[2]"]
        assert fields("JW222", policy) == fields("JW224", policy) == []
    assert fields("JW126", job(pod)) == []


def test_a_rule_about_another_container_does_not_count() -> None:
    pod = {"containers": [container("sh", "-c", "work; exit 0"), {"name": "b", "image": "b:1"}]}
    value = with_policy(on_codes("FailJob", "In", 42, of="b"), pod=pod)
    assert fields("JW126", value) == []
    assert fields("JW222", value) == [f"{MAIN}.command[2]"]


def test_a_message_names_the_program() -> None:
    (finding,) = found("JW222", running("A=b /usr/bin/ansible-playbook x.yml; exit 0"))
    assert "even if ansible-playbook fails" in finding.message
    # Of a program that exceeds the memory limit, the kernel kills the shell, too: the exit code is 137.
    assert "memory" not in finding.message
    (finding,) = found("JW222", running("A=$(work); exit 0"))
    assert "even if a command substitution fails" in finding.message
    (finding,) = found("JW222", running(f"{'x' * 99}; exit 0"))
    assert "even if a command fails" in finding.message


PARTS = [
    "a | ",
    "a && ",
    "a; ",
    "a & ",
    "$(a) ",
    "'a' ",
    "<<a ",
    "if a; then b; fi; ",
    "a=1 ",
    "> a ",
]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("end", ["grep b", "wait", "exit 0"])
def test_a_long_script_takes_time_for_its_length(part: str, end: str) -> None:
    def sized(count: int) -> Action:
        value = running(part * count + end)
        return lambda: [found(code, value) for code in ("JW126", "JW222", "JW223", "JW224")]

    assert superlinear_calls(sized) == {}


def _with_reasons(value: dict[str, Any]) -> dict[str, Any]:
    value["metadata"]["annotations"] = {"jobsworth.dev/pod-failure-policy": "{}"}
    return value


@pytest.mark.parametrize(
    "command",
    [
        "cat a", "cd a", "date", "declare a", "echo a", "export a", "false", "hash a", "hostname", "id",
        "local a", "ls a", "printf a", "pwd", "readonly a", "set a", "shift", "sleep 1", "test a", "[ a ]", "trap a",
        "true", ":", "type a", "umask", "uname", "unset a", "wait", "which a", "whoami",
    ],
)  # fmt: skip
def test_a_command_that_does_no_work_loses_no_exit_code(command: str) -> None:
    assert fields("JW222", running(f"{command}; true")) == []
    assert fields("JW222", running(f"work; {command}; true")) != []


@pytest.mark.parametrize(
    "command",
    [
        "cut -c1",
        "date",
        "echo a",
        "head",
        "jq .",
        "printf a",
        "sed a",
        "sort",
        "tail",
        "tr a b",
        "yes",
    ],
)
def test_a_command_that_feeds_a_pipe_loses_no_exit_code(command: str) -> None:
    assert fields("JW224", running(f"{command} | work")) == []


@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        ('backup push\nKEEP=7\nif [[ $? = "0" ]]; then prune; else exit 1; fi', "KEEP="),
        ("backup push\necho done\n[ $? -eq 0 ] || exit 1", "echo"),
        ("backup push\nA=1\nB=2\nrc=$?\nexit $rc", "A="),
        ("backup push\nprintf x\ncase $? in 0) prune;; esac", "printf"),
        ("backup push\nrc=$?\nKEEP=7\nif [ $rc = 0 ]; then prune; fi", None),
        ("backup push\nif [ $? = 0 ]; then KEEP=7; fi", None),
        ("backup push\nKEEP=$(list | tail)\nif [ $? = 0 ]; then prune; fi", None),
        ("backup push || exit 1\nKEEP=7\nif [ $? = 0 ]; then prune; fi", None),
        ('backup push\necho "ended: $?"\nprune', None),
        ("cd /work\nKEEP=7\nif [ $? = 0 ]; then prune; fi", None),
        ("backup push\nprune\nKEEP=7", None),
        ("set -e\nbackup push\nKEEP=7\nif [ $? = 0 ]; then prune; fi", None),
    ],
)
def test_a_status_is_read_right_after_its_command(text: str, replaced: str | None) -> None:
    messages = [finding.message for finding in found("JW222", running(text, "bash"))]
    named = [message for message in messages if "has replaced the exit" in message]
    assert [f"`{replaced}`" in message for message in named] == ([] if replaced is None else [True])


def test_the_command_before_a_true_is_named() -> None:
    value = job(
        {
            "containers": [
                {
                    "name": "main",
                    "image": "a:1",
                    "command": ["sh", "-c", "N=$(first); work $N || true"],
                }
            ]
        }
    )
    (finding,) = found("JW222", value)
    assert "exits with 0 even if work fails" in finding.message


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("if pg_dump a > /b/a; then upload; else echo failed; fi", True),
        ("if pg_dump a > /b/a; then upload; else exit 2; fi", False),
        ("save() { restic backup /a; notify; }; save", True),
        ("save() { restic backup /a || return 1; notify; }; save", False),
        ("set -e; restic backup /a || echo failed; notify", True),
        ("set -e; restic backup /a; notify", False),
        ("alembic upgrade head || true; work", False),
        ("alembic upgrade head; work", True),
        ("alembic upgrade head\nif [ $? -ne 0 ]; then exit 1; fi; work", False),
        ("trap 'echo end; exit 0' EXIT; set -e; train", True),
        ("trap 'echo end' EXIT; set -e; train", False),
        ("trap 'exit 0' TERM; train", False),
    ],
)
def test_a_failure_is_lost_wherever_a_script_goes_on(text: str, reported: bool) -> None:
    assert bool(fields("JW222", running(text))) is reported
