"""A rule for the files of ConfigMaps and Secrets that a container reads."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob

EXTENSIONS = (".json", ".yaml", ".yml")
MAX_KEY_LENGTH = 40


@lint_rule(
    "JW707",
    "key-twice-in-file",
    severity="warning",
    summary="A YAML or JSON file that a Pod mounts has a key twice in one mapping: one value is lost.",
    needs=needs.neighbors_and_volumes,
)
def key_twice_in_file(job: LintedJob) -> Iterator[Diagnostic]:
    if job.neighbors is None:
        return
    seen: set[tuple[str, str]] = set()
    for reference in job.references:
        if ".volumes[" not in reference.field or (reference.kind, reference.name) in seen:
            continue
        seen.add((reference.kind, reference.name))
        for each in job.neighbors.reachable(reference.kind, reference.name, job.namespace):
            for key, text in each.files.items():
                if not key.endswith(EXTENSIONS):
                    continue
                for name, first, again in job.neighbors.repeated_keys(key, text)[:1]:
                    yield Diagnostic(
                        reference.field,
                        f"{key} in the {each.kind} {each.name}{each.place} has {name[:MAX_KEY_LENGTH]} in "
                        f"the lines {first} and {again} of one mapping: most programs drop the first value "
                        "without a message, and others reject the file. Put both into one, or remove one.",
                    )
