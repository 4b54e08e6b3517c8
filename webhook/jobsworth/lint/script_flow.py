"""The flow of a script: which later command runs if one fails, and which values its variables have."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from jobsworth.lint.container_start import ContainerStart, literal_variables
from jobsworth.lint.shell_script import ShellCommand, ShellScript

ENDING = ("exit", "return", "false", "kill")
ENDS_OF_TRIAL = ("[", "[[", "((", "test")
MAX_COMMANDS = 200
"""The number of commands of a script that are compared with each other."""
VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


def goes_on(script: ShellScript, commands: Sequence[ShellCommand], at: int, later: int) -> bool:
    """Return True if the failure of a command does not keep a script from a later one.

    After ``a && b``, ``set -e`` does not end the script if ``a`` fails (POSIX, set, -e).
    """
    if commands[at].checked or commands[at].background:
        return False
    handler = commands[at + 1] if commands[at].after == "||" else None
    if handler is not None and handler.name in ENDING:
        return False
    for each in commands[at + 1 : later]:
        if each.name in ENDING and each.words[1:2] != ["0"]:
            return False
    index = later
    while index > 0 and commands[index].before == "&&":
        index -= 1
        if commands[index].name in ENDS_OF_TRIAL:
            return False
    index, skipped = at, False
    while index < later:
        after = commands[index].after
        if after == "|" and not skipped and not script.pipefail:
            return True
        if after == "||":
            return True
        if after not in ("|", "&&"):
            return skipped or not script.errexit
        skipped = skipped or after == "&&"
        index += 1
    return False


def constants(start: ContainerStart, script: ShellScript) -> dict[str, str]:
    """Return the variables of a script that have one constant value, with their values."""
    values = {name: value for _, name, value in literal_variables(start.container)}
    for name, texts in script.assigned.items():
        if len(texts) == 1 and "$" not in texts[0] and "`" not in texts[0]:
            values[name] = texts[0].strip("'\"")
    return values


_EQUALITY = re.compile(
    r"\[\[?\s+[\"']?\$\{?(\w+)(?::-[^}]*)?\}?[\"']?\s+(==?|!=)\s+[\"']?([\w.-]*)[\"']?\s+\]"
)


def is_enabled(start: ContainerStart, script: ShellScript, command: ShellCommand) -> bool | None:
    """Return True if a script always runs a command, or the values of its variables ask for it.

    The result is False if they exclude it, and None if it depends on something else. A command in a function
    has the words of its calls as ``$1`` and so on.
    """
    values = constants(start, script)
    calls = [each for each in script.commands if command.function and each.name == command.function]
    if not command.function:
        answers = [_holds(values, command)]
    else:
        answers = [
            _holds(_with_parameters(values, script, call.words), command)
            if _holds(values, call)
            else _holds(values, call)
            for call in calls
        ]
    return True if True in answers else None if None in answers else False


def _with_parameters(
    values: Mapping[str, str], script: ShellScript, call: Sequence[str]
) -> dict[str, str]:
    given = {str(number): word for number, word in enumerate(call)}
    found = {**values, **given}
    for name, texts in script.assigned.items():
        if call and len(texts) == 1 and texts[0].strip('"').lstrip("${").rstrip("}") in given:
            found[name] = resolved(given, texts[0].strip('"'))
    return found


def _holds(values: Mapping[str, str], command: ShellCommand) -> bool | None:
    sure = True
    for condition in command.conditions:
        tests = list(_EQUALITY.finditer(condition)) if "||" not in condition else []
        known = [
            (values[test[1]] == test[3]) is (test[2] != "!=") for test in tests if test[1] in values
        ]
        if not all(known):
            return False
        sure = sure and bool(known) and "! " not in condition
    return True if sure else None


def resolved(values: Mapping[str, str], text: str) -> str:
    """Return a text with the values of variables.

    >>> resolved({"A": "/data"}, "$A/${B}")
    '/data/${B}'
    """
    return VARIABLE.sub(lambda found: values.get(found[1] or found[2], found[0]), text)
