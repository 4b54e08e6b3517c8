"""``jobsworth schema``: print JSON Schemas of kinds, of files with all kinds, and of JSON reports.

For JobPolicy, it also prints the CustomResourceDefinition.
"""

from __future__ import annotations

import sys
from pathlib import Path

from jobsworth.api.api_server import RELEASES, ApiServer
from jobsworth.api.declare import Struct
from jobsworth.api.descriptions import field_descriptions
from jobsworth.api.kinds import kinds
from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, choice, nested, text
from jobsworth.cli.reporting import as_utf8
from jobsworth.cli.server_options import ServerOptions, server_of
from jobsworth.usage_error import UsageError
from jobsworth.validation.json_schema import json_schema
from jobsworth.validation.schema_text import schema_text

JSON_SCHEMA, CRD = "json-schema", "crd"
CRD_FILE = "jobpolicy-crd.yaml"
POLICY, SCENARIO, REPORT = "JobPolicy", "JobScenario", "report"
EXPLAIN, HEALTH, REPLAY, SCHEDULE, SIMULATE, WHY = REPORTS = (
    "explain", "health", "replay", "schedule", "simulate", "why",
)  # fmt: skip
ALL = "all"


class SchemaOptions(Options):
    """The options of ``jobsworth schema``."""

    server = nested(ServerOptions)
    kind = choice(
        default="Job",
        choices=("Job", "CronJob", ALL, POLICY, SCENARIO, REPORT, *REPORTS),
        help="The kind whose schema to print; all is for editors, and files of any kinds; report is the JSON "
        "report of validate and audit, health that of audit --health; the others are those of the commands "
        "of these names.",
    )
    output = choice(
        short="-o",
        default=JSON_SCHEMA,
        choices=(JSON_SCHEMA, CRD),
        help="A JSON Schema, or the CustomResourceDefinition of JobPolicy, for kubectl apply.",
    )
    directory = text(
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
        if options.kind in _OTHER_TEXTS:
            print(_OTHER_TEXTS[options.kind](), end="")
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
    for kind, text_of in _OTHER_TEXTS.items():
        (Path(options.directory) / f"{kind.lower()}.json").write_text(text_of(), encoding="utf-8")
    (Path(options.directory) / CRD_FILE).write_text(_crd_text(), encoding="utf-8")
    return 0


def _text(version: str, struct: Struct, chosen: ApiServer) -> str:
    return schema_text(json_schema(struct, version, chosen, field_descriptions()))


def _all_text(chosen: ApiServer) -> str:
    from jobsworth.policy.schema import schema
    from jobsworth.validation.editor_schema import editor_schema
    from jobsworth.whatif.simulation.scenario_schema import scenario_schema

    documents = [schema(), scenario_schema()]
    return schema_text(editor_schema(chosen, field_descriptions(), documents))


def _policy_text() -> str:
    from jobsworth.policy.schema import schema

    return schema_text(schema())


def _crd_text() -> str:
    from jobsworth.manifests.editing.yaml_writer import to_yaml
    from jobsworth.policy.custom_resource import custom_resource_definition

    return to_yaml([custom_resource_definition()])


def _scenario_text() -> str:
    from jobsworth.whatif.simulation.scenario_schema import scenario_schema

    return schema_text(scenario_schema())


def _report_text() -> str:
    from jobsworth.reports.report_schema import schema

    return schema_text(schema())


def _explanation_text() -> str:
    from jobsworth.reports.explanation_schema import explanation_schema

    return schema_text(explanation_schema())


def _schedule_text() -> str:
    from jobsworth.reports.calendar_schema import calendar_schema

    return schema_text(calendar_schema())


def _simulation_text() -> str:
    from jobsworth.reports.simulation_schema import simulation_schema

    return schema_text(simulation_schema())


def _replay_text() -> str:
    from jobsworth.reports.replay_schema import replay_schema

    return schema_text(replay_schema())


def _health_text() -> str:
    from jobsworth.reports.health_schema import health_schema

    return schema_text(health_schema())


def _why_text() -> str:
    from jobsworth.reports.why_schema import why_schema

    return schema_text(why_schema())


_OTHER_TEXTS = {
    POLICY: _policy_text,
    SCENARIO: _scenario_text,
    REPORT: _report_text,
    EXPLAIN: _explanation_text,
    HEALTH: _health_text,
    REPLAY: _replay_text,
    SCHEDULE: _schedule_text,
    SIMULATE: _simulation_text,
    WHY: _why_text,
}
"""The schemas that are the same for every release."""


COMMAND = Command(
    "schema",
    help="""Print the JSON Schema (2020-12) of Job or CronJob for a release, of JobPolicy or JobScenario,
or of a report; or one for editors that chooses by kind.

It covers fields, types, required fields, enumerations, bounds, patterns and the conditions that JSON
Schema can express: most of the API server's checks, in every editor and schema validator.""",
    epilog="""\b
Examples:
  jobsworth schema > job.json
  jobsworth schema --kubernetes-version 1.31 --kind CronJob > cronjob.json
  jobsworth schema --kind JobPolicy > jobpolicy.json
  jobsworth schema --kind JobPolicy -o crd | kubectl apply -f -
  jobsworth schema --kind all > all.json   # for yaml-language-server
  jobsworth schema --directory schemas     # every release: schemas/v1.31/job.json ...
""",
    options=SchemaOptions,
    run=run,
)
