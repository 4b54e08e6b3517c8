"""``jobsworth schema``: JSON Schemas of Job and CronJob for one Kubernetes release, or for all."""

from __future__ import annotations

import json
from pathlib import Path

from jobsworth.api.declare import Struct
from jobsworth.api.descriptions import field_descriptions
from jobsworth.api.kinds import kinds
from jobsworth.api.server import RELEASES, ApiServer
from jobsworth.cli import server
from jobsworth.cli.command import Command, Option
from jobsworth.validation.json_schema import json_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def run(values: dict[str, Any]) -> int:
    """Print a schema, or write those of every release, and return the exit code.

    Raises:
        UsageError: the release or a gate is unknown.
    """
    if values["directory"] is None:
        chosen = server.server_of(values)
        by_name = {struct.name: (version, struct) for version, struct in kinds()}
        print(_text(*by_name[values["kind"]], chosen), end="")
        return 0
    for release in RELEASES:
        folder = Path(values["directory"]) / f"v{release}"
        folder.mkdir(parents=True, exist_ok=True)
        for version, struct in kinds():
            text = _text(version, struct, ApiServer(release))
            (folder / f"{struct.name.lower()}.json").write_text(text, encoding="utf-8")
    return 0


def _text(version: str, struct: Struct, chosen: ApiServer) -> str:
    schema = json_schema(struct, version, chosen, field_descriptions())
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


COMMAND = Command(
    "schema",
    help="""Print the JSON Schema (2020-12) of Job or CronJob for a Kubernetes release.

It knows fields, types, required fields, enumerations, bounds, patterns and the conditions that JSON
Schema can say: most of the verdict, in every editor and schema validator.""",
    epilog="""\b
Examples:
  jobsworth schema > job.json
  jobsworth schema --kubernetes-version 1.31 --kind CronJob > cronjob.json
  jobsworth schema --directory schemas     # every release: schemas/v1.31/job.json ...
""",
    options=(
        *server.OPTIONS,
        Option("--kind", default="Job", choices=("Job", "CronJob"), help="Whose schema to print."),
        Option(
            "--directory",
            metavar="DIR",
            help="Write the schemas of every release and kind into this folder instead.",
        ),
    ),
    run=run,
    takes_paths=False,
)
