"""Rules for scripts that switch something off for the time of their work, and on again behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.script_flow import MAX_COMMANDS, after_failure
from jobsworth.lint.shell_script import ShellCommand, ShellScript
from jobsworth.wording import shortened

MAX_SHOWN = 60


class Switch(NamedTuple):
    """Two uses of a program, matched in the words of its command: what one changes the other changes back."""

    off: re.Pattern[str]
    on: re.Pattern[str]
    stays: str


def _switch(off: str, on: str, stays: str) -> Switch:
    return Switch(re.compile(rf"\b{off}"), re.compile(rf"\b{on}"), stays)


_SERVES_NOBODY = "the application stays in maintenance mode"
_CLUSTER = (
    _switch(
        r"scale\b.*--replicas[= ]0\b", r"scale\b.*--replicas[= ][^0]", "the replicas stay at 0"
    ),
    _switch("cordon ", "uncordon ", "the node stays closed to new Pods"),
    _switch("rollout pause", "rollout resume", "the rollout stays paused"),
    _switch(r"patch\b.*suspend\W+true", r"patch\b.*suspend\W+false", "it stays suspended"),
)
SWITCHES: dict[str, tuple[Switch, ...]] = {
    "kubectl": _CLUSTER, "oc": _CLUSTER,
    "flux": (_switch("suspend ", "resume ", "nothing is reconciled any more"),),
    "ceph": (_switch("osd set ", "osd unset ", "the flag stays set"),),
    "aws": (_switch("suspend-processes", "resume-processes", "the group stays suspended"),),
    "fsfreeze": (_switch("fsfreeze (?:-f|--freeze)", "fsfreeze (?:-u|--unfreeze)", "each write hangs"),),
    "occ": (_switch("maintenance:mode --on", "maintenance:mode --off", _SERVES_NOBODY),),
    "artisan": (_switch(r"artisan down\b", r"artisan up\b", _SERVES_NOBODY),),
    "magento": (_switch("maintenance:enable", "maintenance:disable", _SERVES_NOBODY),),
    "wp": (_switch("maintenance-mode activate", "maintenance-mode deactivate", _SERVES_NOBODY),),
    "drush": (_switch(r"maintenance_mode\b.* 1\b", r"maintenance_mode\b.* 0\b", _SERVES_NOBODY),),
}  # fmt: skip
"""Programs that switch something off and on. Source: their reference documentation."""


@lint_rule(
    "JW551",
    "not-switched-on-again",
    severity="warning",
    summary="A script that fails leaves switched off what it would have switched on again at its end.",
    confidence="likely",
    needs=needs.a_program("php", *SWITCHES),
)
def not_switched_on_again(job: LintedJob) -> Iterator[Diagnostic]:
    for start, script in job.scripts:
        found = _left_off(script) if "trap" not in script.text else None
        if found is not None:
            off, step, on, stays = found
            failing, late = (shortened(" ".join(each.words), MAX_SHOWN) for each in (step, on))
            yield Diagnostic(
                start.field,
                f"If `{failing}` fails, the script ends before `{late}`: {stays}. Switch it on "
                "again in a trap on EXIT.",
                line=off.line,
            )


def _left_off(script: ShellScript) -> tuple[ShellCommand, ShellCommand, ShellCommand, str] | None:
    """Return what is switched off, a step that may end the script, what comes too late, and the effect."""
    commands = script.commands[:MAX_COMMANDS]
    offs: list[tuple[int, Switch]] = []
    ons: list[tuple[int, Switch]] = []
    for index, command in enumerate(commands):
        words = " ".join(command.words)
        for switch in _switches(command.words):
            if switch.on.search(words):
                ons.append((index, switch))
            elif switch.off.search(words) and not command.checked:
                offs.append((index, switch))
    steps: dict[int, frozenset[ShellCommand]] = {}
    for index, switch in offs:
        until = next((at for at, other in ons if at > index and other is switch), index)
        for at in range(index + 1, until):
            if not commands[at].works:
                continue
            if at not in steps:
                steps[at] = after_failure(script, commands[at]).reached
            if commands[until] not in steps[at]:
                return commands[index], commands[at], commands[until], switch.stays
    return None


def _switches(words: Sequence[str]) -> tuple[Switch, ...]:
    """Return the switches of a command, also of a PHP program or one within a container.

    >>> len(_switches(["php", "/app/artisan", "down"])), len(_switches(["echo", "cordon"]))
    (1, 0)
    """
    inside = words[0] == "php" or "exec" in words[1:6] if words else False
    for word in reversed(words):
        found = SWITCHES.get(word.rpartition("/")[2])
        if found is not None and (word is words[0] or inside):
            return found
    return ()
