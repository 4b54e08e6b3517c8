"""The chart against the code: its values, the options that it gives, the metrics that it shows."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import jobsworth
from jobsworth.api.api_server import RELEASES, minor
from jobsworth.api.feature_gates import KNOWN_GATES, RENAMED_GATES
from jobsworth.cli.command import Command
from jobsworth.cli.commands import audit, certs, reconcile, serve
from jobsworth.files.policies.profiles import DEFAULT_ENFORCEMENT, ENFORCEMENTS, PROFILE_CHOICES
from jobsworth.lint.linter import RULES
from jobsworth.policy.document import NAME_PATTERN, schema
from jobsworth.policy.limits.lint_rules import IN_MANIFESTS
from jobsworth.validation.editor_schema import schema_text

ROOT = Path(__file__).parents[2]
CHART = ROOT / "charts" / "jobsworth"
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
SCHEMA: dict[str, Any] = json.loads((CHART / "values.schema.json").read_text())
VARIANTS = sorted((CHART / "ci").glob("*-values.yaml"))
FREE_FORM = {"podSecurityContext", "securityContext", "policies", "policyFiles", "affinity"}
OPTIONAL = {"podDisruptionBudget.minAvailable", "global"}


def test_chart_and_application_have_the_version_of_the_package() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    expected = jobsworth.__version__.replace(".dev", "-dev.")  # Helm follows Semantic Versioning
    assert chart["appVersion"] == chart["version"] == expected


def test_every_value_is_described_in_the_schema_and_every_described_value_is_there() -> None:
    assert set(_described(SCHEMA)) - OPTIONAL == set(_given(VALUES))


def test_the_schema_itself_is_valid() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)


def test_a_policy_in_the_values_has_the_schema_of_a_job_policy() -> None:
    holder = SCHEMA["properties"]["policies"]
    assert holder["additionalProperties"] == {"$ref": "#/definitions/JobPolicySpec"}
    assert holder["propertyNames"]["pattern"] == NAME_PATTERN
    # Not a reference to schemas/jobpolicy.json: Helm would fetch it.
    expected = {"JobPolicySpec": json.loads(json.dumps(schema()["properties"]["spec"]))}
    # Only here: `jobsworth policy check` has a better message for a rule that does not exist.
    rules = expected["JobPolicySpec"]["properties"]["rules"]
    effects = rules.pop("additionalProperties")
    rules |= {"patternProperties": {_rule_keys(): effects}, "additionalProperties": False}
    if os.environ.get("JOBSWORTH_RENEW"):
        SCHEMA["definitions"] = expected
        (CHART / "values.schema.json").write_text(schema_text(SCHEMA), "utf-8")
    assert SCHEMA["definitions"] == expected, "renew it: JOBSWORTH_RENEW=1 pytest tests/charts"


def test_the_releases_and_the_feature_gates_are_those_that_the_webhook_knows() -> None:
    properties = SCHEMA["properties"]["webhook"]["properties"]
    gates = sorted({*KNOWN_GATES, *(former for _, former in RENAMED_GATES.values())})
    expected = {f"^({'|'.join(gates)})$": {"type": "boolean"}}
    if os.environ.get("JOBSWORTH_RENEW"):
        properties["featureGates"] |= {"patternProperties": expected, "additionalProperties": False}
        (CHART / "values.schema.json").write_text(schema_text(SCHEMA), "utf-8")
    assert properties["featureGates"]["patternProperties"] == expected, (
        "JOBSWORTH_RENEW=1 renews it"
    )
    pattern = properties["kubernetesVersion"]["pattern"]
    for text in ("", "auto", *RELEASES, "1.50", "1.100", "v1.33.5-eks-abc123", "1.30+"):
        assert re.search(pattern, text), text
    for text in ("1", "1.2", f"1.{minor(RELEASES[0]) - 1}", "1.9", "1.024", "2.30", "1.30x"):
        assert not re.search(pattern, text), text


def _rule_keys() -> str:
    """Return the pattern of the keys in ``rules``, of which every one is a rule of this version."""
    rules = [rule for rule in RULES if rule.code not in IN_MANIFESTS]
    numbers = {rule.code[2:length] for rule in rules for length in range(2, len(rule.code) + 1)}
    names = sorted(rule.name for rule in rules)
    return f"^(default|[Jj][Ww]({'|'.join(sorted(numbers))})|{'|'.join(names)})$"


def test_the_profiles_and_their_enforcements_are_those_of_the_command_line() -> None:
    properties = SCHEMA["properties"]
    assert tuple(properties["profile"]["enum"]) == PROFILE_CHOICES
    assert tuple(properties["profileEnforcement"]["enum"]) == ENFORCEMENTS
    assert (VALUES["profile"], VALUES["profileEnforcement"]) == ("baseline", DEFAULT_ENFORCEMENT)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda path: path.stem)
def test_a_variant_follows_the_schema_and_says_what_it_is_for(variant: Path) -> None:
    text = variant.read_text()
    jsonschema.validate(yaml.safe_load(text) or {}, SCHEMA)
    assert text.startswith("# ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"webhok": {}}, "'webhok' was unexpected"),
        ({"webhook": {"timeoutSeconds": 31}}, "31 is greater than the maximum of 30"),
        ({"webhook": {"validating": {"failurePolicy": "fail"}}}, "'fail' is not one of"),
        ({"certificates": {"mode": "certmanager"}}, "'certmanager' is not one of"),
        ({"certificates": {"duration": "90d"}}, "'90d' does not match"),
        ({"webhook": {"kubernetesVersion": "1.2"}}, "'1.2' does not match"),
        ({"webhook": {"featureGates": {"Foo": True}}}, "'Foo' does not match any of the regexes"),
        ({"webhook": {"featureGates": {"JobManagedBy": "true"}}}, "'true' is not of type 'boolean'"),
        ({"certificates": {"mode": "existingSecret", "existingSecret": {"name": ""}}}, "''"),
        ({"policies": {"Upper": {}}}, "'Upper' does not match"),
        ({"policies": {"a": {"spec": {}}}}, "'spec' was unexpected"),
        ({"policies": {"a": {"limits": {"backoffLimt": {"maximum": 1}}}}}, "'backoffLimt' was unexpected"),
        ({"policies": {"a": {"limits": {"backoffLimit": {"maximum": -1}}}}}, "-1 is less than the minimum of 0"),
        ({"policies": {"a": {"enforcement": "block"}}}, "'block' is not one of"),
        ({"policies": {"a": {"rules": {"no-tll": "deny"}}}}, "'no-tll' does not match any of the regexes"),
        ({"policies": {"a": {"rules": {"JW999": "deny"}}}}, "'JW999' does not match any of the regexes"),
        ({"policies": {"a": {"rules": {"no-ttl": "block"}}}}, "'block' is not one of"),
        ({"profile": "basic"}, "'basic' is not one of"),
        ({"image": {"digest": "abc"}}, "'abc' does not match"),
        ({"service": {"ipFamilies": ["ipv6"]}}, "'ipv6' is not one of"),
        ({"updateStrategy": {"maxSurge": 1}}, "'maxSurge' was unexpected"),
        ({"commonLabels": {"app.kubernetes.io/name": "a"}}, "'app.kubernetes.io/name' should not be valid"),
        ({"extraVolumes": [{"emptyDir": {}}]}, "'name' is a required property"),
        ({"audit": {"interval": "often"}}, "'often' does not match"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_values_is_reported(values: dict[str, Any], why: str) -> None:
    with pytest.raises(jsonschema.ValidationError, match=re.escape(why)):
        jsonschema.validate(values, SCHEMA)


ARGUMENTS = re.compile(r"^ +- (--[a-z-]+)(?:=|$)", re.MULTILINE)
CONTAINERS = [
    ("deployment.yaml", "certificates", certs.MANAGE),
    ("deployment.yaml", "webhook", serve.COMMAND),
    ("_reconciling.tpl", "job-controller", reconcile.COMMAND),
    ("_reconciling.tpl", "audit", audit.COMMAND),
]


@pytest.mark.parametrize(
    ("template", "container", "command"), CONTAINERS, ids=[c[1] for c in CONTAINERS]
)
def test_a_container_is_given_options_that_its_command_has(
    template: str, container: str, command: Command
) -> None:
    text = (CHART / "templates" / template).read_text()
    part = text.split(f"- name: {container}\n")[1].split("startupProbe:")[0]
    given = set(ARGUMENTS.findall(part))
    assert given
    assert given <= {name for option in command.options for name in option.opts}


def test_dashboard_and_alerts_query_metrics_that_exist() -> None:
    source = "".join(
        path.read_text()
        for name in ("admission", "audit", "reconciler", "controller", "serving")
        for path in (ROOT / "webhook" / "jobsworth" / name).rglob("*.py")
    )
    for path in ("dashboards/jobsworth.json", "templates/prometheus-rule.yaml"):
        text = (CHART / path).read_text()
        requested = set(re.findall(r"\b(?:jobsworth|job_controller)_[a-z_]+", text))
        assert requested
        for metric in requested:
            bare = metric.removeprefix("job_controller_").removesuffix("_bucket")
            assert f'"{bare}"' in source, metric


def test_the_dashboards_panels_do_not_overlap() -> None:
    panels = json.loads((CHART / "dashboards" / "jobsworth.json").read_text())["panels"]
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert at["x"] + at["w"] <= 24
        assert not cells & taken, panel["title"]
        taken |= cells
    assert len({panel["id"] for panel in panels}) == len(panels)


def _given(values: dict[str, Any], path: str = "") -> Iterator[str]:
    for key, value in values.items():
        where = f"{path}{key}"
        if isinstance(value, dict) and value and key not in FREE_FORM and _closed(where):
            yield from _given(value, f"{where}.")
        else:
            yield where


def _described(schema: dict[str, Any], path: str = "") -> Iterator[str]:
    for key, part in schema.get("properties", {}).items():
        where = f"{path}{key}"
        if part.get("properties") and part.get("additionalProperties") is False and _closed(where):
            yield from _described(part, f"{where}.")
        else:
            yield where


def _closed(path: str) -> bool:
    """Return True if the chart, not Kubernetes, determines the content at this path."""
    return path != "updateStrategy" and not path.endswith(
        (".resources", "Selector", ".labels", ".annotations", ".issuerRef")
    )
