"""The rule for the number of shards, which an Indexed Job states twice: as completions and to its program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from jobsworth.lint import needs
from jobsworth.lint.container_start import INDEX_VARIABLE, ContainerStart, literal_variables
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob

SHARDS = ("shard", "shards", "split", "splits", "task", "tasks")
"""Nouns that stand for the share of one Pod, whatever else the program says."""

SHARES = (
    "bucket", "buckets", "chunk", "chunks", "machine", "machines", "node", "nodes", "part", "partition",
    "partitions", "parts", "pods", "rank", "ranks", "replicas", "slice", "slices", "worker", "workers",
)  # fmt: skip
"""Nouns that stand for it only if the container reads its completion index: else they may be CPUs."""

NUMBERS = frozenset(("count", "n", "num", "number", "of", "total"))
"""Words that make a noun a number; a plural is one by itself."""

ALONE = ("ci_node_total", "nnodes", "nshards", "shards", "splits")
"""Nouns that are the name of a number without another word."""

TOGETHER = ("nnodes", "num_nodes", "num_machines", "world_size")
"""Names with the number of processes or Pods that wait for each other, as torchrun's do."""

PROCESSES = ("world_size",)
"""Names with the number of processes, of which a Pod may run several."""

SHARD_OF = re.compile(r"(?:\d+|[^/\s]*\$[^/\s]*)/(\d{1,9})")
"""The value of ``--shard=3/10`` of test runners: an index, which may be a variable, and the number."""

MAX_DIGITS = 12
"""The number of digits of a value in a message."""


@lint_rule(
    "JW232",
    "shard-count",
    severity="warning",
    summary="The number of shards in arguments or variables differs from completions.",
    needs=needs.indexes,
)
def shard_count(job: LintedJob) -> Iterator[Diagnostic]:
    completions = job.spec.get("completions")
    if not job.indexed or not completions:
        return
    parallelism = job.spec.get("parallelism", 1)
    for start in job.starts:
        indexed = _reads_index(start.container)
        for field, shown, value in _settings(start):
            if not value[-1:].isdecimal():
                continue
            name = shown.lstrip("-").replace("-", "_").lower()
            number = _shard_count(name, value, indexed=indexed)
            if not number:
                continue
            if name in PROCESSES:
                differs = int(number) % completions != 0 if len(number) <= MAX_DIGITS else True
            else:
                differs = number.lstrip("0") != str(completions)
            if differs:
                yield _other_number(field, shown, number, completions)
            elif name in TOGETHER and 0 < parallelism < completions:
                yield Diagnostic(
                    f"{job.path}.parallelism",
                    f"{shown} is {number}: {completions} Pods wait for each other, but only {parallelism} "
                    f"run at a time, so none gets beyond the wait. Set parallelism: {completions}.",
                )


def _settings(start: ContainerStart) -> Iterator[tuple[str, str, str]]:
    """Yield the field, the name as written and the value of each variable and option of a container."""
    for index, name, value in literal_variables(start.container):
        yield f"{start.path}.env[{index}].value", name, value
    if start.script is not None:
        for command in start.commands:
            for _, name, value in _options(command.words):
                yield start.field, name, value
        return
    for index, name, value in _options(start.line.words):
        yield f"{start.path}.{start.line.field(index)}", name, value


def _options(words: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Yield the index, the name as written and the value of each option."""
    for index, word in enumerate(words):
        if word.startswith("-"):
            name, equals, value = word.partition("=")
            if not equals and index + 1 < len(words):
                value = words[index + 1]
            yield index, name, value


def _reads_index(container: dict[str, Any]) -> bool:
    """Return True if a container mentions its completion index."""
    words = (*container.get("command", ()), *container.get("args", ()))
    return any(INDEX_VARIABLE in word for word in words) or any(
        INDEX_VARIABLE in variable.get("value", "")
        or (
            "valueFrom" in variable
            and "job-completion-index"
            in variable["valueFrom"].get("fieldRef", {}).get("fieldPath", "")
        )
        for variable in container.get("env", ())
    )


def _shard_count(name: str, value: str, *, indexed: bool) -> str:
    """Return the number of shards that a setting states; empty for another setting.

    >>> _shard_count("num_shards", "8", indexed=False), _shard_count("shard", "2", indexed=False)
    ('8', '')
    >>> _shard_count("num_nodes", "4", indexed=False), _shard_count("num_nodes", "4", indexed=True)
    ('', '4')
    >>> _shard_count("shard", "$(INDEX)/10", indexed=True)
    '10'
    """
    if name == "shard":
        found = SHARD_OF.fullmatch(value)
        return found[1] if found else ""
    if not (value.isascii() and value.isdecimal()):
        return ""
    words = name.split("_")
    nouns = SHARDS + SHARES if indexed else SHARDS
    if name in ALONE or (name in PROCESSES and indexed):
        return value
    named = len(words) > 1 and all(word in NUMBERS or word in nouns for word in words)
    return value if named and not NUMBERS.isdisjoint(words) else ""


def _other_number(field: str, name: str, value: str, completions: int) -> Diagnostic:
    shown = value if len(value) <= MAX_DIGITS else f"{value[:MAX_DIGITS]}…"
    return Diagnostic(
        field,
        f"{name} is {shown}, but the Job has {completions} indexes, one for each shard: shards are missing "
        "or done twice. Set both to the same number.",
    )
