"""Rules for commands that delete data: if the step before failed, a variable is empty, or they run again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from jobsworth.lint import needs
from jobsworth.lint.container_start import ContainerStart, RunCommand
from jobsworth.lint.effects import (
    ASKING,
    CONSEQUENCES,
    COPYING,
    KEEPING,
    Effects,
    backs_up,
    effects,
    written_by,
)
from jobsworth.lint.hooks import release_of
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.script_flow import (
    MAX_COMMANDS,
    TESTS,
    VARIABLE,
    after_failure,
    constants,
    is_enabled,
    resolved,
    trapped,
)
from jobsworth.lint.shell_script import ShellCommand, ShellScript
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
_FAILS_UNSEEN = re.compile(r"^\"?(?:\$\(|`)")
_BUCKET = re.compile(r"(?:[\w-]+://)?[^/\s:]+[/:]?[^/\s:]*/?\*?|[\w-]+://[^/\s]+/?\*{0,2}")
"""A whole bucket: ``s3://bucket/``, or with an alias ``minio/bucket`` or ``remote:bucket``."""


@lint_rule(
    "JW260",
    "deletes-after-failure",
    severity="warning",
    summary="A script deletes data although the step fails on which the deletion depends.",
    needs=needs.scripts,
)
def deletes_after_failure(job: LintedJob) -> Iterator[Diagnostic]:
    for start, script in job.scripts:
        found = _unguarded(start, script)
        if found is None:
            continue
        step, deletion, loss = found
        lost = f" of {loss.targets[0][:MAX_SHOWN]}" if loss.targets else ""
        effect = CONSEQUENCES[loss.loss if loss.targets or loss.loss != "files" else "expiry"]
        command = shortened(" ".join(step.words), MAX_SHOWN)
        yield Diagnostic(
            start.field,
            f"If `{command}` fails, the script goes on with `{loss.shown}`{lost}, {effect}. "
            f"{_advice(script, step, deletion)}",
            line=step.line,
        )


def _advice(script: ShellScript, step: ShellCommand, deletion: ShellCommand) -> str:
    if step.after == "|":
        return "In bash, begin the script with `set -eo pipefail`."
    if deletion not in script.commands:
        return "A trap runs after a failure, too: delete in the last line of the script instead."
    if step.background:
        return "Wait for the step by `wait $!`, which returns its exit code."
    if deletion not in after_failure(script, step, errexit=True).reached:
        return "Begin the script with `set -e`, or join the two with `&&`."
    return "Write `|| exit 1` behind the step: `set -e` does not look at it there."


def _unguarded(
    start: ContainerStart, script: ShellScript
) -> tuple[ShellCommand, ShellCommand, Effects] | None:
    """Return a step whose failure does not end a script, and a later deletion that depends on it."""
    values = constants(start, script)
    losses = []
    for each in _with_traps(script):
        loss = effects(each.words, each.input)
        if loss is not None and _is_kept(start, values, loss):
            losses.append((each, loss))
    for step in script.commands[:MAX_COMMANDS] if losses else ():
        if not step.words or _enters_mount(start, step):
            continue
        later = [
            (each, loss)
            for each, loss in losses
            if _depends(values, loss, step) or _refills(script, loss, step, each)
        ]
        reached = after_failure(script, step).reached if later else ()
        for each, loss in later:
            if each in reached and each is not step:
                return step, each, loss
    return None


def _with_traps(script: ShellScript) -> Iterator[ShellCommand]:
    """Yield the commands of a script, and those of its traps."""
    yield from script.commands[:MAX_COMMANDS]
    for signal in ("EXIT", "ERR"):
        trap = trapped(script, signal, len(script.text))
        if trap is not None:
            yield from trap.commands[:MAX_COMMANDS]


def _depends(values: Mapping[str, str], loss: Effects, step: ShellCommand) -> bool:
    """Return True if a deletion is wrong when a step before it has failed."""
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
    named = [resolved(values, each) for each in (*step.words[1:], *step.outputs)]
    if loss.loss == "mirror":
        return any(_names(named, resolved(values, each)) for each in loss.sources)
    before = effects(step.words)
    if before is not None and before.loss != "replace":
        return False
    return any(_names(named, resolved(values, each)) for each in loss.targets)


def _refills(
    script: ShellScript, loss: Effects, step: ShellCommand, deletion: ShellCommand
) -> bool:
    """Return True if a step gets the data with which a script fills what it empties."""
    if loss.loss != "reset" or not step.works:
        return False
    later = "\n".join(script.text.splitlines()[deletion.line :])
    files = (*step.outputs, *written_by(step.words))
    return any(file in later for file in files if len(file) > len("/tmp/"))


def _does_work(step: ShellCommand) -> bool:
    """Return True for a command that does a part of the work, also if the script asks for its result."""
    if not step.checked:
        return step.works
    return backs_up(step.words) or (step.name in COPYING and ASKING.isdisjoint(step.words))


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
    for word, left, what in _broad_without_variable(command):
        place = start.place(left) if left.startswith("/") else None
        if place is not None and not place.kept and left.rstrip("/*"):
            continue
        direct = _DIRECT.search(word)
        if direct is not None and not script.errexit:
            return (
                f"If `{direct[0][:MAX_SHOWN]}` fails or prints nothing, `{command.name}` deletes {what}. "
                "Assign it to a variable after `set -e`, and test that it is not empty."
            )
        for variable in VARIABLE.finditer(word):
            name = variable[1] or variable[2]
            why = _may_be_empty(job, start, script, name)
            if why and not _is_checked(script, name):
                return (
                    f"If {name} is empty, `{command.name}` deletes {what}: {why}. Write ${{{name}:?}}, "
                    "which ends the script instead."
                )
    return None


def _broad_without_variable(command: ShellCommand) -> Iterator[tuple[str, str, str]]:
    """Yield each word whose variables keep a deletion narrow, its rest, and what is deleted without them."""
    loss = effects(command.words)
    targets = loss.targets if loss is not None and loss.loss == "files" else ()
    words = command.words
    for before, word in pairwise(words):
        if "$" not in word:
            continue
        left = VARIABLE.sub("", _DIRECT.sub("", word))
        ends_open = left.endswith(("/", "/*")) and _ENDS_OPEN.search(word) is not None
        if word in targets:
            if ends_open and ("://" in left or _PATH.fullmatch(left)):
                yield word, left, f"all of {left}"
        elif command.name == "find" and loss is not None:
            if before == "-name" and not left and ("!" in words or "-not" in words):
                yield word, "", "every file, also the one to keep"
            elif word in loss.targets and left in ("", "/"):
                yield (
                    word,
                    left,
                    "files of the whole container" if left else "files of the current folder",
                )
        elif command.name == "curl":
            if (
                "DELETE" in words
                and "://" in word
                and (left.endswith("*") or (ends_open and left.count("/") > 3))
            ):
                yield word, "", f"all of {left.rpartition('/')[2] or left}"
        elif (
            command.name in ("kubectl", "oc")
            and {"delete", "--all"} <= set(words)
            and before in ("-n", "--namespace")
            and not left
        ):
            yield word, "", "all such objects in the namespace of the Job"


def _may_be_empty(job: LintedJob, start: ContainerStart, script: ShellScript, name: str) -> str:
    """Return the reason why a variable may be empty, as a clause; empty if there is none."""
    texts = script.assigned.get(name)
    if texts is not None:
        unseen = [text for text in texts if _FAILS_UNSEEN.match(text)]
        hidden = any("|" in text for text in unseen) and not script.pipefail
        hidden = hidden or bool(
            re.search(rf"\b(?:local|declare|export|readonly) {name}=", script.text)
        )
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


def _is_checked(script: ShellScript, name: str) -> bool:
    """Return True if a script looks whether a variable is empty, or ends for an empty one."""
    quoted = re.escape(name)
    tests = r"(?:\[\[|\[|\btest|\bcase)\s+(?:!\s+)?(?:-z\s+|-n\s+(?=\"))?[\"']?"
    return bool(re.search(rf"\$\{{{quoted}:?[?=-]|{tests}\$\{{?{quoted}\b", script.text))


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
            when = _hook_of_each_release(job)
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
