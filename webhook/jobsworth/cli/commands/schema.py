"""``jobsworth schema``: print JSON Schemas of kinds, of files with all kinds, and of JSON reports.

For JobPolicy, it also prints the CustomResourceDefinition.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from jobsworth.api.api_server import RELEASES, ApiServer
from jobsworth.api.declare import Struct
from jobsworth.api.descriptions import field_descriptions
from jobsworth.api.kinds import kinds
from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, group, option
from jobsworth.cli.reporting import as_utf8
from jobsworth.cli.server_options import ServerOptions, server_of
from jobsworth.usage_error import UsageError
from jobsworth.validation.editor_schema import schema_text
from jobsworth.validation.json_schema import json_schema

JSON_SCHEMA, CRD = "json-schema", "crd"
CRD_FILE = "jobpolicy-crd.yaml"
POLICY, TEST, SCENARIO = "JobPolicy", "JobPolicyTest", "JobScenario"
CONFIGURATION, REPORT = "configuration", "report"
EXPLAIN, HEALTH, SCHEDULE, SIMULATE, WHY = REPORTS = (
    "explain", "health", "schedule", "simulate", "why",
)  # fmt: skip
OTHERS = (POLICY, TEST, SCENARIO, CONFIGURATION, REPORT, *REPORTS)
"""The schemas that are the same for every release."""

ALL = "all"
_KINDS = ("Job", "CronJob", ALL, *OTHERS)


class SchemaOptions(Options):
    """The options of ``jobsworth schema``."""

    server = group(ServerOptions)
    kind: str = option(
        "--kind",
        default="Job",
        type=click.Choice(_KINDS),
        metavar="KIND",
        help=f"The kind whose schema to print: {', '.join(_KINDS)}. all is for editors, and files of any "
        "kinds; configuration is that of .jobsworth.yaml, report the JSON report of validate and audit; the "
        "others are those of the commands of these names.",
    )
    output: str = option(
        "--output",
        "-o",
        default=JSON_SCHEMA,
        type=click.Choice((JSON_SCHEMA, CRD)),
        help="A JSON Schema, or the CustomResourceDefinition of JobPolicy, for kubectl apply.",
    )
    directory: str | None = option(
        "--directory",
        metavar="DIR",
        help="Write the schemas of every release and kind to this folder instead, with the "
        "CustomResourceDefinition.",
    )


def run(options: SchemaOptions) -> int:
    """Print a schema, or write those of every release, and return the exit code.

    Raises:
        UsageError: the release or a gate is unknown, or the kind has no CustomResourceDefinition.
    """
    if options.directory is None:
        as_utf8(sys.stdout)
        if options.output == CRD:
            if options.kind != POLICY:
                raise UsageError(f"-o {CRD}: only {POLICY} has one; add --kind {POLICY}")
            print(_crd_text(), end="")
            return 0
        if options.kind in OTHERS:
            print(_other_text(options.kind), end="")
            return 0
        chosen = server_of(options.server)
        if options.kind == ALL:
            print(_all_text(chosen), end="")
            return 0
        by_name = {struct.name: (version, struct) for version, struct in kinds()}
        print(_text(*by_name[options.kind], chosen), end="")
        return 0
    for release in RELEASES:
        folder = Path(options.directory) / f"v{release}"
        folder.mkdir(parents=True, exist_ok=True)
        for version, struct in kinds():
            text = _text(version, struct, ApiServer(release))
            (folder / f"{struct.name.lower()}.json").write_text(text, encoding="utf-8")
        (folder / f"{ALL}.json").write_text(_all_text(ApiServer(release)), encoding="utf-8")
    for kind in OTHERS:
        text = _other_text(kind)
        (Path(options.directory) / f"{kind.lower()}.json").write_text(text, encoding="utf-8")
    (Path(options.directory) / CRD_FILE).write_text(_crd_text(), encoding="utf-8")
    return 0


def _text(version: str, struct: Struct, chosen: ApiServer) -> str:
    return schema_text(json_schema(struct, version, chosen, field_descriptions()))


def _all_text(chosen: ApiServer) -> str:
    from jobsworth.policy.case_document import case_schema
    from jobsworth.policy.document import schema
    from jobsworth.runs.simulation.scenario_document import scenario_schema
    from jobsworth.validation.editor_schema import editor_schema

    documents = [schema(), case_schema(), scenario_schema()]
    return schema_text(editor_schema(chosen, field_descriptions(), documents))


def _crd_text() -> str:
    from jobsworth.manifests.editing.yaml_writer import to_yaml
    from jobsworth.policy.custom_resource import custom_resource_definition

    return to_yaml([custom_resource_definition()])


def _other_text(kind: str) -> str:
    """Return a schema that is the same for every release."""
    from jobsworth.files.configuration.configuration_document import configuration_schema
    from jobsworth.policy.case_document import case_schema
    from jobsworth.policy.document import schema
    from jobsworth.reports.explanation_report import explanation_schema
    from jobsworth.reports.findings_report import findings_schema
    from jobsworth.reports.health_report import health_schema
    from jobsworth.reports.schedule_report import schedule_schema
    from jobsworth.reports.simulation_report import simulation_schema
    from jobsworth.reports.why_report import why_schema
    from jobsworth.runs.simulation.scenario_document import scenario_schema

    schemas: dict[str, Callable[[], dict[str, Any]]] = {
        POLICY: schema,
        TEST: case_schema,
        SCENARIO: scenario_schema,
        CONFIGURATION: configuration_schema,
        REPORT: findings_schema,
        EXPLAIN: explanation_schema,
        HEALTH: health_schema,
        SCHEDULE: schedule_schema,
        SIMULATE: simulation_schema,
        WHY: why_schema,
    }
    return schema_text(schemas[kind]())


COMMAND = Command(
    "schema",
    help="""Print the JSON Schema (2020-12) of Job or CronJob for a release, of JobPolicy, JobPolicyTest or
JobScenario, or of a report; or one for editors that chooses by kind.

It covers fields, types, required fields, enumerations, bounds, patterns and the conditions that JSON
Schema can express: most of the API server's checks, in every editor and schema validator.""",
    epilog="""\b
Examples:
  jobsworth schema > job.json
  jobsworth schema --kubernetes-version 1.31 --kind CronJob > cronjob.json
  jobsworth schema --kind JobPolicy > jobpolicy.json
  jobsworth schema --kind JobPolicy -o crd | kubectl apply -f -
  jobsworth schema --kind all > all.json   # for yaml-language-server
  jobsworth schema --directory schemas     # of every release
""",
    options=SchemaOptions,
    run=run,
)
