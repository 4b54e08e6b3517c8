"""The rule for the number of shards, which an Indexed Job states twice: as completions and to its program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.lint.lint_rule import Diagnostic, lint_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.lint.linted_job import LintedJob

NUMBERS_OF_SHARDS = frozenset(
    (
        "nnodes", "num_shards", "num_tasks", "shard_count", "shard_total", "shards_total", "task_count",
        "total_shards", "total_tasks",
    )
)  # fmt: skip
"""Names of options and variables with the number of Pods that share the work, in small letters."""

MAX_DIGITS = 12
"""The number of digits of a value in a message."""


def applies(job: LintedJob) -> bool:
    return job.indexed


@lint_rule(
    "JW232",
    "shard-count",
    severity="warning",
    summary="The number of shards in arguments or variables differs from completions.",
)
def shard_count(job: LintedJob) -> Iterator[Diagnostic]:
    completions = job.spec.get("completions")
    if not job.indexed or not completions:
        return
    scripts = {container: (field, script) for field, container, script in job.scripts}
    for path, container in job.containers:
        for index, variable in enumerate(container.get("env", ())):
            name, value = variable.get("name", ""), variable.get("value", "")
            if name.lower() in NUMBERS_OF_SHARDS and _differs(value, completions):
                yield _other_number(f"{path}.env[{index}].value", name, value, completions)
        if path in scripts:
            field, script = scripts[path]
            for command in script.commands:
                for _, name, value in _options(command.words):
                    if _differs(value, completions):
                        yield _other_number(field, name, value, completions)
            continue
        for part in ("command", "args"):
            for index, name, value in _options(container.get(part, [])):
                if _differs(value, completions):
                    yield _other_number(f"{path}.{part}[{index}]", name, value, completions)


def _options(words: list[str]) -> Iterator[tuple[int, str, str]]:
    """Yield the index, name and value of each option with a number of shards."""
    for index, word in enumerate(words):
        if word.startswith("-"):
            name, equals, value = word.partition("=")
            if name.lstrip("-").replace("-", "_").lower() in NUMBERS_OF_SHARDS:
                if not equals and index + 1 < len(words):
                    value = words[index + 1]
                yield index, name, value


def _differs(value: str, completions: int) -> bool:
    return value.isdecimal() and value.lstrip("0") != str(completions)


def _other_number(field: str, name: str, value: str, completions: int) -> Diagnostic:
    shown = value if len(value) <= MAX_DIGITS else f"{value[:MAX_DIGITS]}…"
    return Diagnostic(
        field,
        f"{name} is {shown}, but the Job has {completions} indexes, one for each shard: shards are missing "
        "or done twice. Set both to the same number.",
    )
