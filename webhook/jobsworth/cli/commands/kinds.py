"""``jobsworth kinds``: list the kinds that contain Jobs or Pod templates."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import click

from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments, option
from jobsworth.cli.reporting import as_utf8
from jobsworth.documents.declared import Report, key, report_text
from jobsworth.files.configuration.configuration_document import KindEntry, entry_of
from jobsworth.findings.near_names import did_you_mean
from jobsworth.kinds import kind_table
from jobsworth.kinds.kind_table import SHIPPED, EmbeddedTemplate, KindTable
from jobsworth.reports.text_tables import aligned
from jobsworth.usage_error import UsageError


class KindsOptions(Options):
    """The options of ``jobsworth kinds``."""

    output: str = option(
        "--output",
        "-o",
        default="text",
        type=click.Choice(("text", "json")),
        help="A table, or JSON with the entries as a configuration has them.",
    )
    config: str | None = option(
        "--config", metavar="FILE", help="Also list the kinds of this configuration."
    )
    kinds: tuple[str, ...] = arguments("kinds", "[KIND...]")


def run(options: KindsOptions) -> int:
    """Print the kinds, and return the exit code.

    Raises:
        UsageError: the configuration cannot be read, or is wrong.
    """
    as_utf8(sys.stdout)
    table = SHIPPED
    if options.config is not None:
        from jobsworth.files.configuration.configuration_file import read_configuration

        table = KindTable(read_configuration(options.config).settings.kinds or ())
    listed = _ListedKinds(table.templates, table.unvalidated)
    if options.kinds:
        listed = _only(listed, options.kinds)
    print(_json(listed) if options.output == "json" else _text(listed))
    return 0


@dataclass(frozen=True, slots=True)
class _ListedKinds:
    templates: Sequence[EmbeddedTemplate]
    unvalidated: Sequence[kind_table.UnvalidatedKind]


def _only(table: _ListedKinds, kinds: Sequence[str]) -> _ListedKinds:
    """Return the named kinds of a table.

    Raises:
        UsageError: the table has no such kind.
    """
    known = {each.kind for each in table.templates} | {each.kind for each in table.unvalidated}
    folded = {kind.lower(): kind for kind in known}
    for kind in kinds:
        if kind.lower() not in folded:
            hint = did_you_mean(kind, sorted(known)) or "jobsworth kinds lists all"
            raise UsageError(
                f'jobsworth knows no Jobs or Pod templates in the kind "{kind}": {hint}'
            )
    wanted = {folded[kind.lower()] for kind in kinds}
    return _ListedKinds(
        [each for each in table.templates if each.kind in wanted],
        [each for each in table.unvalidated if each.kind in wanted],
    )


class UnvalidatedKind(Report):
    """A kind that is not validated."""

    api_version: str = key("apiVersion")
    kind: str
    reason: str


class KindsReport(Report):
    """The kinds, in the form of a configuration."""

    kinds: list[KindEntry]
    unvalidated: list[UnvalidatedKind]


def _json(table: _ListedKinds) -> str:
    return report_text(
        KindsReport(
            kinds=[entry_of(template) for template in table.templates],
            unvalidated=[
                UnvalidatedKind(api_version=each.api_version, kind=each.kind, reason=each.reason)
                for each in table.unvalidated
            ],
        )
    )


def _text(table: _ListedKinds) -> str:
    rows = [("KIND", "PATH", "TYPE", "PODS OF")]
    rows += (
        (
            f"{each.kind} {each.api_version}",
            each.path,
            each.type,
            "" if each.type == "Object" else each.owner,
        )
        for each in table.templates
    )
    lines = [*aligned(rows)] if table.templates else []
    if table.unvalidated:
        lines += ("", "Kinds without a Pod template that could be validated:")
    reasons: dict[tuple[str, str], list[str]] = {}
    for kind in table.unvalidated:
        reasons.setdefault((kind.api_version, kind.reason), []).append(kind.kind)
    lines += (
        f"  {', '.join(kinds)} ({api_version}): {reason}"
        for (api_version, reason), kinds in reasons.items()
    )
    return "\n".join(lines)


COMMAND = Command(
    "kinds",
    help="""List the kinds of other API groups in which jobsworth finds Jobs and Pod templates.

`jobsworth validate` evaluates what their operator creates from the template at PATH, as the API server would,
and reports it at the field of the object. In a path, [*] stands for every item of a list and {*} for every
key of a map. The rules of the last column decide which restart policy the Pods may have.

A configuration adds kinds by entries of the same form under the key `kinds`; -o json prints them.""",
    epilog="""\b
Examples:
  jobsworth kinds
  jobsworth kinds RayJob
  jobsworth kinds -o json | jq '.kinds[] | select(.kind == "ScaledJob")'
""",
    options=KindsOptions,
    run=run,
)
