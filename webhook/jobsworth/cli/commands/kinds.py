"""``jobsworth kinds``: list the kinds that contain Jobs or Pod templates."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, choice, text
from jobsworth.cli.reporting import as_utf8
from jobsworth.files.configuration.kind_entries import FIELDS
from jobsworth.kinds.kind_table import SHIPPED, KindTable
from jobsworth.reports.text_tables import aligned

if TYPE_CHECKING:
    from typing import Any

    from jobsworth.kinds.kind_table import EmbeddedTemplate


class KindsOptions(Options):
    """The options of ``jobsworth kinds``."""

    output = choice(
        short="-o",
        default="text",
        choices=("text", "json"),
        help="A table, or JSON with the entries as a configuration has them.",
    )
    config = text(metavar="FILE", help="Also list the kinds of this configuration.")


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
    print(_json(table) if options.output == "json" else _text(table))
    return 0


def _json(table: KindTable) -> str:
    document = {
        "kinds": [_entry(template) for template in table.templates],
        "unvalidated": [
            {"apiVersion": each.api_version, "kind": each.kind, "reason": each.reason}
            for each in table.unvalidated
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def _entry(template: EmbeddedTemplate) -> dict[str, Any]:
    values = {key: getattr(template, attribute) for key, attribute in FIELDS.items()}
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in values.items()
        if value not in ("", (), {})
    }


def _text(table: KindTable) -> str:
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
    lines = [*aligned(rows)]
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
  jobsworth kinds -o json | jq '.kinds[] | select(.kind == "ScaledJob")'
""",
    options=KindsOptions,
    run=run,
)
