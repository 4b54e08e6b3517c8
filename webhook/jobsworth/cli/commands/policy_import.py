"""``jobsworth policy import``: policies of Kyverno as JobPolicies."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments, flag, option
from jobsworth.cli.reporting import as_utf8
from jobsworth.documents.declared import Report, report_text
from jobsworth.files.manifest_reading import read_documents
from jobsworth.manifests import Document, ManifestError
from jobsworth.policy.kyverno.importing import Imported
from jobsworth.printable import printable
from jobsworth.usage_error import UsageError
from jobsworth.wording import count

EXIT_IMPORTED, EXIT_LEFT, EXIT_UNREADABLE = 0, 1, 2


class ImportOptions(Options):
    """The options of ``jobsworth policy import``."""

    strict: bool = flag("--strict", help="Exit with 1 if a part of a policy is not imported.")
    output: str = option(
        "--output",
        "-o",
        default="yaml",
        type=click.Choice(("yaml", "json")),
        help="YAML, or one JSON document with the JobPolicies and the parts that are not imported.",
    )
    paths: tuple[str, ...] = arguments("paths", "PATH...")


class UnimportedPart(Report):
    """A part of a policy that is not imported."""

    field: str
    reason: str


class ImportedPolicy(Report):
    """A policy of Kyverno, and the JobPolicies that it becomes."""

    name: str
    policies: list[dict[str, Any]]
    left: list[UnimportedPart]


class ImportReport(Report):
    """What is imported, and what is not."""

    policies: list[ImportedPolicy]


def run(options: ImportOptions) -> int:
    """Print JobPolicies, report what has no translation, and return the exit code.

    Raises:
        UsageError: no file has a policy of Kyverno.
    """
    from jobsworth.policy.kyverno.importing import imported, is_importable

    code, found = EXIT_IMPORTED, []
    for document in read_documents(options.paths):
        if isinstance(document, ManifestError):
            print(printable(f"error: {document}"), file=sys.stderr)
            code = EXIT_UNREADABLE
        elif isinstance(document.value, dict) and is_importable(document.value):
            found.append((document, imported(document.value)))
    if not found and code == EXIT_IMPORTED:
        raise UsageError(
            "no ClusterPolicy, Policy or ValidatingPolicy of Kyverno found: name a file or folder with one"
        )
    _print([each for _, each in found], options.output)
    _report(found)
    if options.strict and any(each.left for _, each in found):
        code = max(code, EXIT_LEFT)
    return code


def _print(found: Sequence[Imported], output: str) -> None:
    as_utf8(sys.stdout)
    if output == "json":
        policies = [
            ImportedPolicy(
                name=each.name,
                policies=each.policies,
                left=[UnimportedPart(field=part.field, reason=part.reason) for part in each.left],
            )
            for each in found
        ]
        print(report_text(ImportReport(policies=policies)))
        return
    documents = [policy for each in found for policy in each.policies]
    if documents:
        from jobsworth.manifests.editing.yaml_writer import to_yaml

        print(to_yaml(documents), end="")


def _report(found: Sequence[tuple[Document, Imported]]) -> None:
    for document, each in found:
        for part in each.left:
            place = document.position(part.field)
            where = f"{document.file}:{place.line}:{place.column}"
            print(printable(f"{where}: {part.field}: not imported: {part.reason}"), file=sys.stderr)
    complete = sum(bool(each.policies) and not each.left for _, each in found)
    partly = sum(bool(each.policies) and bool(each.left) for _, each in found)
    print(
        f"{count(len(found), 'policy')}: {complete} imported, {partly} in part, "
        f"{len(found) - complete - partly} not",
        file=sys.stderr,
    )


COMMAND = Command(
    "policy import",
    help="""Write policies of Kyverno as JobPolicies.

PATH is a file or folder, or - for standard input. ClusterPolicies, Policies and ValidatingPolicies about
Pods, Jobs or CronJobs become JobPolicies: patterns and CEL become expressions, and patches defaults. Standard
error lists each part without a translation, with its place and the reason. Exit codes: 0; 1 with --strict if
a part is not imported; 2 if a file cannot be read.""",
    epilog="""\b
Examples:
  jobsworth policy import kyverno/ > policies/imported.yaml
  kubectl get clusterpolicies -o yaml | jobsworth policy import -
  jobsworth policy import labels.yaml | jobsworth policy check -
""",
    options=ImportOptions,
    run=run,
)
