"""Rules for commands that delete data: if the step before failed, a variable is empty, or they run again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from jobsworth.lint import needs
from jobsworth.lint.container_start import ContainerStart, RunCommand, literal_variables
from jobsworth.lint.effects import (
    ASKING,
    CONSEQUENCES,
    COPYING,
    FRAMEWORKS,
    KEEPING,
    RESTORING,
    SQL_CLIENTS,
    Effects,
    backs_up,
    effects,
    fetches,
    written_by,
)
from jobsworth.lint.hooks import release_of
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.program_steps import steps_of
from jobsworth.lint.program_text import program_texts
from jobsworth.lint.script_flow import (
    LOOKING_UP,
    MAX_COMMANDS,
    TESTS,
    VARIABLE,
    after_failure,
    constants,
    is_enabled,
    is_looked_at,
    resolved,
    trapped,
)
from jobsworth.lint.shell_script import ShellCommand, ShellScript, commands_in
from jobsworth.lint.usual_programs import RESTORES
from jobsworth.wording import shortened

SELECTING = (
    ("cd",),
    ("terraform", "workspace"),
    ("tofu", "workspace"),
    ("kubectl", "config"),
    ("kubectx",),
    ("pulumi", "stack"),
)
"""Commands on which the place depends where a later one deletes."""
PLACES = {
    "helm": ("-n", "--namespace", "--kube-context", "--kubeconfig"),
    **dict.fromkeys(
        ("kubectl", "oc"),
        ("-n", "--namespace", "--context", "--cluster", "--kubeconfig", "-s", "--server"),
    ),
    **dict.fromkeys(("mongosh", "psql"), ("psql", "mongosh")),
    "mongorestore": ("--uri",),
}
"""Options before the place where a program deletes; for clients of databases, their first operand."""
EACH_UPGRADE = frozenset(("pre-upgrade", "post-upgrade", "pre-rollback", "post-rollback"))
FORMATTING = ("dd", "mkfs")
"""Beginnings of the names of programs that replace what is on a device."""
REBUILT = "cache"
"""Part of the names of stores that are filled again by themselves."""
EACH_SYNC = frozenset(("PreSync", "Sync", "PostSync"))
FIND_TESTS = (
    "-mtime",
    "-mmin",
    "-type",
    "-name",
    "-iname",
    "-newer",
    "-size",
    "-path",
    "-ctime",
    "-atime",
)
MAX_SHOWN = 60

_DIRECT = re.compile(r"\$\([^()]*\)|`[^`]*`")
"""A command whose output is part of a word."""
_ENDS_OPEN = re.compile(r"(?:\$\{?\w+\}?|\$\([^()]*\)|`[^`]*`)(?:/|/\*)?$")
_PATH = re.compile(r"/?(?:[\w.@%+:-]*/)*\*?")
_EXPORTS = r"(?i)\bcopy\b|\boutfile\b|\bexport\b|\s-o\s"
_REMOTE = re.compile(r"[\w.@-]+:(?!$)")
_REPLACEABLE = re.compile(r"cache|download|/old|part|te?mp|work", re.IGNORECASE)
"""Names of files and folders that hold nothing of value."""
_FAILS_UNSEEN = re.compile(r"^\"?(?:\$\(|`)")
_BUCKET = re.compile(r"(?:[\w-]+://)?[^/\s:]+[/:]?[^/\s:]*/?\*?|[\w-]+://[^/\s]+/?\*{0,2}")
"""A whole bucket: ``s3://bucket/``, or with an alias ``minio/bucket`` or ``remote:bucket``."""


@lint_rule(
    "JW260",
    "deletes-after-failure",
    severity="warning",
    summary="A script deletes data although the step fails on which the deletion depends.",
    needs=needs.scripts_or_programs,
)
def deletes_after_failure(job: LintedJob) -> Iterator[Diagnostic]:
    for start, script in job.scripts:
        found = _lost_in(job, start, script)
        if found is not None:
            yield Diagnostic(start.field, found[0], line=found[1])
    for program in program_texts(job):
        steps = steps_of(program.interpreter, program.text)
        found = _lost_in(job, program.start, steps.script, steps.advice) if steps else None
        if steps is not None and found is not None:
            yield Diagnostic(program.field, found[0], line=program.line + steps.lines[found[1]])


def _lost_in(
    job: LintedJob, start: ContainerStart, script: ShellScript, advice: str = ""
) -> tuple[str, int] | None:
    """Return the message about a script that deletes in spite of a failure, and its line; None for others."""
    losses = _losses(start, script)
    found = _unguarded(start, script, losses)
    if found is None:
        return _too_early(job, start, script, losses)
    step, deletion, loss = found
    lost = f" of {loss.targets[0][:MAX_SHOWN]}" if loss.targets else ""
    effect = CONSEQUENCES[loss.loss if loss.targets or loss.loss != "files" else "expiry"]
    command = shortened(" ".join(step.words), MAX_SHOWN)
    return (
        f"If `{command}` fails, the script goes on with `{loss.shown}`{lost}, {effect}. "
        f"{advice or _advice(script, step, deletion)}"
    ), step.line


def _advice(script: ShellScript, step: ShellCommand, deletion: ShellCommand) -> str:
    if step.after == "|":
        return "In bash, begin the script with `set -eo pipefail`."
    if step not in script.commands:
        return (
            "Set the variable by a command of its own after `set -e`: export, local and the like replace the "
            "exit code."
        )
    if deletion not in script.commands:
        return "A trap runs after a failure, too: delete in the last line of the script instead."
    if step.background:
        return "Wait for the step by `wait $!`, which returns its exit code."
    if deletion not in after_failure(script, step, errexit=True).reached:
        return "Begin the script with `set -e`, or join the two with `&&`."
    return "Write `|| exit 1` behind the step: `set -e` does not look at it there."


_Losses = Sequence[tuple[ShellCommand, Effects]]


def _losses(start: ContainerStart, script: ShellScript) -> _Losses:
    """Return the commands of a script that delete what would be there after the end of the Pod."""
    computed = constants(start, script, computed=True).items()
    values = {name: text for name, text in computed if text.startswith("/")}
    values |= constants(start, script)
    found = [(each, effects(each.words, each.input)) for each in _with_traps(script)]
    return [
        (each, loss) for each, loss in found if loss is not None and _is_kept(start, values, loss)
    ]


def _too_early(
    job: LintedJob, start: ContainerStart, script: ShellScript, losses: _Losses
) -> tuple[str, int] | None:
    """Return the message about a deletion before the download of what replaces the data, and its line."""
    values, commands = constants(start, script), script.commands[:MAX_COMMANDS]
    for deletion, loss in losses:
        at = commands.index(deletion) if deletion in commands else len(commands)
        if any(backs_up(each.words) or _moves(each, loss) for each in commands[:at]):
            continue
        known = {word for each in commands[:at] for word in each.words}
        for fetch in commands[at + 1 :]:
            if not fetches(fetch.words) or any(
                _REMOTE.match(word) for word in known & {*fetch.words}
            ):
                continue
            if (loss.loss == "reset" and _fills_store(script, loss, fetch)) or (
                (job.cron is not None or fetch.name in RESTORING)
                and _fills_folder(script, values, loss, fetch)
            ):
                lost = f" of {loss.targets[0][:MAX_SHOWN]}" if loss.targets else ""
                return (
                    f"`{loss.shown}`{lost} comes before `{shortened(' '.join(fetch.words), MAX_SHOWN)}`. If "
                    "that fails, the data is gone, and nothing replaces it. Get the new data first, to "
                    "another place."
                ), deletion.line
    return None


def _moves(command: ShellCommand, loss: Effects) -> bool:
    """Return True for a command that copies what is deleted later, or gives it another name."""
    named = [target.rstrip("/*") for target in loss.targets]
    return command.name in COPYING and any(each in command.words for each in named)


def _fills_store(script: ShellScript, loss: Effects, fetch: ShellCommand) -> bool:
    """Return True if a program that fills a store gets what a command fetches."""
    if fetch.name in (loss.name, "velero"):
        return True
    following = script.commands[script.commands.index(fetch) + 1 : MAX_COMMANDS]
    fills = [each for each in following if each.name in (*SQL_CLIENTS, *RESTORES, loss.name)]
    if any(fetch in each.fed_by for each in fills):
        return True
    later = "\n".join(script.text.splitlines()[fetch.line :])
    files = (*fetch.outputs, *written_by(fetch.words))
    return bool(fills) and any(later.count(each) > 1 for each in files)


def _fills_folder(
    script: ShellScript, values: Mapping[str, str], loss: Effects, fetch: ShellCommand
) -> bool:
    """Return True if a command fetches files, also through tar, into a folder that is emptied before."""
    if loss.loss != "files" or any(map(_REPLACEABLE.search, loss.targets)):
        return False
    written = [*fetch.outputs, *written_by(fetch.words)]
    for each in script.commands:
        if each.name == "tar" and "-C" in each.words[:-1] and fetch in each.fed_by:
            written.append(each.words[each.words.index("-C") + 1])
    named = [resolved(values, each) for each in written]
    return any(_names(named, resolved(values, each)) for each in loss.targets)


def _unguarded(
    start: ContainerStart, script: ShellScript, losses: _Losses
) -> tuple[ShellCommand, ShellCommand, Effects] | None:
    """Return a step whose failure does not end a script, and a later deletion that depends on it."""
    values = constants(start, script)
    here = "."
    for step in _steps(script) if losses else ():
        if step.name == "cd" and len(step.words) == 2:
            here = step.words[1]
        if not step.words or _enters_mount(start, step):
            continue
        later = [
            (each, loss)
            for each, loss in losses
            if not _lists_for(step, each)
            and (
                _depends(values, loss, step, here)
                or _refills(script, loss, step, each)
                or _chooses(script, step, each)
            )
        ]
        reached = after_failure(script, step).reached if later else ()
        for each, loss in later:
            if each in reached and each is not step:
                return step, each, loss
    return None


def _steps(script: ShellScript) -> Iterator[ShellCommand]:
    """Yield the commands of a script, and those in substitutions that do a part of its work."""
    for each in script.commands[:MAX_COMMANDS]:
        yield from filter(_does_work, commands_in(each.inner))
        yield each


def _with_traps(script: ShellScript) -> Iterator[ShellCommand]:
    """Yield the commands of a script, and those of its traps."""
    yield from script.commands[:MAX_COMMANDS]
    for signal in ("EXIT", "ERR"):
        trap = trapped(script, signal, len(script.text))
        if trap is not None:
            yield from trap.commands[:MAX_COMMANDS]


def _depends(values: Mapping[str, str], loss: Effects, step: ShellCommand, here: str) -> bool:
    """Return True if a deletion is wrong when a step before it, in the folder ``here``, has failed."""
    words = tuple(step.words)
    if loss.loss == "push":
        return step.works and step.name not in KEEPING
    if words[: len(SELECTING[0])] == SELECTING[0]:
        return any(_is_here(target) for target in loss.targets) or (
            loss.loss == "reset" and not loss.targets
        )
    if loss.loss in ("reset", "schema"):
        return backs_up(words) or any(words[: len(each)] == each for each in SELECTING)
    if loss.loss == "replace":
        written = [resolved(values, each) for each in step.outputs]
        return any(resolved(values, each) in written for each in loss.sources)
    if loss.loss == "rows":
        exports = step.works and (bool(step.outputs) or re.search(_EXPORTS, " ".join(words)))
        return bool(exports) and loss.sources[0].lower() in " ".join(words).lower()
    if not _does_work(step) or (step.name in KEEPING and not step.outputs):
        return False
    each = all(target.startswith("$") for target in loss.targets)
    if (loss.loss == "expiry" or each) and backs_up(words):
        return True
    if loss.name == "rm" and not _is_wide(loss) and step.name not in COPYING:
        return False  # a file that the script made for itself
    given = (here if each == "." else each for each in (*step.words[1:], *step.outputs))
    named = [resolved(values, each) for each in given]
    if loss.loss == "mirror":
        return any(_names(named, resolved(values, each)) for each in loss.sources)
    before = effects(step.words)
    if before is not None and before.loss != "replace":
        return False
    return any(_names(named, resolved(values, each)) for each in loss.targets)


def _lists_for(step: ShellCommand, deletion: ShellCommand) -> bool:
    """Return True for the list of what a deletion gets: if it fails, nothing is deleted."""
    return step in deletion.fed_by and not ASKING.isdisjoint(step.words)


def _refills(
    script: ShellScript, loss: Effects, step: ShellCommand, deletion: ShellCommand
) -> bool:
    """Return True if a step gets the data with which a script fills what it empties."""
    if loss.loss != "reset" or not step.works:
        return False
    later = "\n".join(script.text.splitlines()[deletion.line :])
    files = (*step.outputs, *written_by(step.words))
    return any(file in later for file in files if len(file) > len("/tmp/"))


def _chooses(script: ShellScript, step: ShellCommand, deletion: ShellCommand) -> bool:
    """Return True if a step gets the list of what is needed, and a test of it decides about a deletion."""
    if deletion.before != "||" or not (step.name in SQL_CLIENTS or fetches(step.words)):
        return False
    asked = script.commands[script.commands.index(deletion) - 1]
    return asked.name in LOOKING_UP and step in asked.fed_by


def _does_work(step: ShellCommand) -> bool:
    """Return True for a command that does a part of the work, also if the script asks for its result."""
    if not step.checked:
        return step.works
    copies = step.name in COPYING and ASKING.isdisjoint(step.words)
    return backs_up(step.words) or copies or step.name in SQL_CLIENTS


def _enters_mount(start: ContainerStart, step: ShellCommand) -> bool:
    """Return True for ``cd`` to the folder of a volume, which is always there."""
    folders = [
        each.get("mountPath", "").rstrip("/") for each in start.container.get("volumeMounts", ())
    ]
    return step.name == "cd" and step.words[-1].rstrip("/") in folders


def _is_wide(loss: Effects) -> bool:
    """Return True for the deletion of folders or of all files of a pattern."""
    return "-r" in loss.shown or any("*" in target for target in loss.targets)


def _is_here(target: str) -> bool:
    """Return True for a path that means all of the current folder."""
    return target in ("*", ".", "./", "./*", "..", "$PWD", "${PWD}/*", "$PWD/*")


def _names(words: Sequence[str], path: str) -> bool:
    """Return True if one of some words is a path, below it, or a folder around it."""
    folder = path.rstrip("*").rstrip("/")
    return len(folder) > 1 and any(
        word == folder or word.startswith(f"{folder}/") or (word.rstrip("/.") + "/").startswith(f"{folder}/")
        or (len(word.rstrip("/.")) > 1 and folder.startswith(f"{word.rstrip('/.')}/"))
        for word in words
    )  # fmt: skip


def _is_kept(start: ContainerStart, values: Mapping[str, str], loss: Effects) -> bool:
    """Return True if what a command deletes would be there after the end of the Pod."""
    if loss.loss == "replace":
        return _is_published(start, values, loss)
    if loss.loss in ("reset", "schema", "push") or not loss.targets:
        return True
    for target in loss.targets:
        path = resolved(values, target)
        if path.startswith("/"):
            if start.place(path).kept:
                return True
        elif _is_here(path) or ":" in path or path.startswith("$"):
            return True
    return False


def _is_published(start: ContainerStart, values: Mapping[str, str], loss: Effects) -> bool:
    """Return True if a file gets a fixed name in a place where others find it."""
    if not loss.targets:
        return False
    source, target = (resolved(values, each[0]) for each in (loss.sources or ("$",), loss.targets))
    named = target + source if target.endswith("/") else target
    if "$" in named or "`" in named or "*" in named:
        return False
    return start.place(target).kept if target.startswith("/") else ":" in target


@lint_rule(
    "JW261",
    "deletes-for-empty-variable",
    severity="warning",
    summary="A command deletes all of a place if a variable is empty, and it may be empty.",
    needs=needs.scripts,
)
def deletes_for_empty_variable(job: LintedJob) -> Iterator[Diagnostic]:
    for start, script in job.scripts:
        for command in script.commands[:MAX_COMMANDS]:
            found = _emptied(job, start, script, command)
            if found is not None:
                yield Diagnostic(start.field, found, line=command.line)
                break


def _emptied(
    job: LintedJob, start: ContainerStart, script: ShellScript, command: ShellCommand
) -> str | None:
    """Return the message for a command that deletes too much if a variable is empty; None for another."""
    for word, left, effect in _broad_without_variable(script, command):
        place = start.place(left) if left.startswith("/") else None
        if place is not None and not place.kept and left.rstrip("/*"):
            continue
        direct = _DIRECT.search(word)
        if direct is not None and not script.errexit:
            return (
                f"If `{direct[0][:MAX_SHOWN]}` fails or prints nothing, {effect}. "
                "Assign it to a variable after `set -e`, and test that it is not empty."
            )
        for variable in VARIABLE.finditer(word):
            name = variable[1] or variable[2]
            why = _may_be_empty(job, start, script, name)
            if why and not is_looked_at(script, name):
                return (
                    f"If {name} is empty, {effect}: {why}. Write ${{{name}:?}}, "
                    "which ends the script instead."
                )
    return None


def _broad_without_variable(
    script: ShellScript, command: ShellCommand
) -> Iterator[tuple[str, str, str]]:
    """Yield each word whose variables keep a deletion narrow, its rest, and the effect without them."""
    loss = effects(command.words, command.input)
    targets = loss.targets if loss is not None and loss.loss == "files" else ()
    words, deletes = command.words, f"`{command.name}` deletes"
    for before, word in pairwise(words):
        if "$" not in word:
            continue
        left = VARIABLE.sub("", _DIRECT.sub("", word))
        ends_open = left.endswith(("/", "/*")) and _ENDS_OPEN.search(word) is not None
        if word in targets:
            if ends_open and ("://" in left or _PATH.fullmatch(left)):
                yield word, left, f"{deletes} all of {left}"
        elif command.name == "cd":
            if not left and (emptied := _empties_folder(script, command)):
                yield word, "", f"cd goes nowhere or home, and `{emptied}` deletes all files there"
        elif command.name == "find" and loss is not None:
            if before == "-name" and not left and ("!" in words or "-not" in words):
                yield word, "", f"{deletes} every file, also the one to keep"
            elif word in loss.targets and left in ("", "/"):
                where = "whole container" if left else "current folder"
                yield word, left, f"{deletes} files of the {where}"
        elif command.name == "curl":
            if (
                "DELETE" in words
                and "://" in word
                and (left.endswith("*") or (ends_open and left.count("/") > 3))
            ):
                yield word, "", f"{deletes} all of {left.rpartition('/')[2] or left}"
        elif (
            command.name in ("kubectl", "oc")
            and {"delete", "--all"} <= set(words)
            and before in ("-n", "--namespace")
            and not left
        ):
            yield word, "", f"{deletes} all such objects in the namespace of the Job"
        elif _is_reset(loss) and not left and before in PLACES.get(command.name, ()):
            yield word, "", f"`{command.name}` deletes in the place of its defaults"


def _is_reset(loss: Effects | None) -> bool:
    return loss is not None and loss.loss == "reset"


def _empties_folder(script: ShellScript, command: ShellCommand) -> str:
    """Return the command that deletes all files of the folder to which another one goes; empty for none."""
    for later in script.commands[script.commands.index(command) + 1 : MAX_COMMANDS]:
        loss = effects(later.words)
        if later.name == "cd":
            break
        if loss is not None and any(map(_is_here, loss.targets)):
            return loss.shown
    return ""


def _may_be_empty(job: LintedJob, start: ContainerStart, script: ShellScript, name: str) -> str:
    """Return the reason why a variable may be empty, as a clause; empty if there is none."""
    texts = script.assigned.get(name)
    if texts is not None:
        unseen = [text for text in texts if _FAILS_UNSEEN.match(text)]
        hidden = any("|" in text for text in unseen) and not script.pipefail
        hidden = hidden or name in script.hidden
        if unseen and (not script.errexit or hidden):
            return "the command that sets it may fail or find nothing, and the script goes on"
        return ""
    if any(each.name in (".", "source", "eval") for each in script.commands):
        return ""
    source = start.source_of_variable(name)
    if source == "optional":
        return "" if script.nounset else "it comes from an object or a key that may be absent"
    if source == "empty":
        return "its value in the manifest is empty"
    if source or script.nounset or job.operator_sets(name) or not start.container.get("env"):
        return ""  # without any variable, the manifest is probably a template or to be patched
    return "nothing in the container sets it"


@lint_rule(
    "JW262",
    "store-emptied-again",
    severity="warning",
    summary="A hook of each release, or a retry, empties a database or another store again.",
    needs=needs.known_commands,
)
def store_emptied_again(job: LintedJob) -> Iterator[Diagnostic]:
    for start in job.all_starts:
        if start.is_init:
            continue
        for command in start.commands[:MAX_COMMANDS]:
            loss = effects(command.words, command.step.input if command.step else "")
            if loss is None or not _empties_store(loss) or _is_guarded(start, command):
                continue
            if any(REBUILT in word for word in command.words):
                continue
            when = _hook_of_each_release(job) or _in_production(job, start, command, loss)
            formats = loss.name.startswith(FORMATTING) and job.may_retry()
            if when or formats:
                lost = "what is in the store by then. Test for data before it, or do it with the installation"
                if loss.loss == "schema":
                    lost = "the columns and tables that the schema lacks, without asking. Run migrations"
                yield Diagnostic(
                    command.field,
                    f"{when or 'A retry runs the script from its beginning'}, and `{loss.shown}` deletes "
                    f"{lost}.",
                    line=command.line,
                )
                break


_NAMES_OF_ENVIRONMENTS = ("APP_ENV", "DJANGO_ENV", "MIX_ENV", "NODE_ENV", "RACK_ENV", "RAILS_ENV")
_INSTALLS = re.compile(
    r"demo|bootstrap|init|install|reset|review|seed|setup|test|stag|dev|preview|sandbox"
)


def _in_production(
    job: LintedJob, start: ContainerStart, command: RunCommand, loss: Effects
) -> str:
    """Return why a database that a framework empties is that of production, as a beginning of a sentence."""
    if loss.name not in FRAMEWORKS or _INSTALLS.search(f"{job.name} {job.namespace}".lower()):
        return ""
    for _, name, value in literal_variables(start.container):
        if name in _NAMES_OF_ENVIRONMENTS and value.startswith("prod"):
            return f"{name} is {value[:MAX_SHOWN]}"
    unchecked = (
        start.script is not None and "DISABLE_DATABASE_ENVIRONMENT_CHECK" in start.script.text
    )
    if unchecked or ("--force" in command.words and loss.name == "artisan"):
        return "The check for production is off"
    return "Each run of the CronJob does this" if job.cron is not None else ""


def _hook_of_each_release(job: LintedJob) -> str:
    """Return when a hook runs again, as the beginning of a sentence; empty if it does not."""
    release = release_of(job.annotations)
    if release.events & EACH_UPGRADE:
        return "This hook runs with each upgrade"
    return "This hook runs with each sync" if release.phases & EACH_SYNC else ""


def _empties_store(loss: Effects) -> bool:
    """Return True for a command that empties a whole database, bucket or device."""
    if loss.loss in ("reset", "schema"):
        return True
    return (
        loss.loss == "files"
        and loss.name != "rm"
        and any(_BUCKET.fullmatch(each) for each in loss.targets)
    )


def _is_guarded(start: ContainerStart, command: RunCommand) -> bool:
    """Return True if a script runs a command only if another one succeeds or fails."""
    step, script = command.step, start.script
    if step is None or script is None:
        return False
    before = script.commands[script.commands.index(step) - 1].name
    tested = step.before == "&&" and before in TESTS
    return tested or step.before == "||" or is_enabled(start, script, step) is not True


@lint_rule(
    "JW265",
    "find-deletes-all",
    severity="warning",
    summary="A find has -delete before its tests, and deletes every file.",
    confidence="certain",
    needs=needs.a_program("find"),
)
def find_deletes_all(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: POSIX, find: the expression is evaluated from left to right."""
    for command in job.commands:
        if command.name == "find" and "-delete" in command.words:
            after = command.words[list(command.words).index("-delete") :]
            late = next((word for word in after if word in FIND_TESTS), "")
            if late:
                yield Diagnostic(
                    command.field,
                    f"find evaluates its expression from left to right: -delete comes before {late}, so it "
                    "deletes every file. Write -delete as the last word.",
                    line=command.line,
                )
