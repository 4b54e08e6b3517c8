"""The schema for editors in yaml-language-server: mistakes caught, no false errors, what is completed and shown.

``tests/browser/install`` provides the server; the tests are skipped without.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.editors.language_client import LanguageClient
from support.editors.yaml_language_server import installed, yaml_language_server

pytestmark = pytest.mark.skipif(not installed(), reason="yaml-language-server is not installed")

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "schemas/v1.36/all.json"
SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {ports: [{port: 80, targetPort: web}], selector: {app: web}}
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: a
spec:
  completionMode: Indexed
  podReplacementPolicy: Failed
  suspend: false
  template:
    spec:
      restartPolicy: Never
      dnsPolicy: Default
      affinity:
      containers:
      - name: a
        image: a:1
        imagePullPolicy: Always
"""


@pytest.fixture(scope="module")
def server() -> Iterator[LanguageClient]:
    with yaml_language_server(SCHEMA) as client:
        yield client


@pytest.fixture(scope="module")
def server_of_yaml_1_1() -> Iterator[LanguageClient]:
    with yaml_language_server(SCHEMA, yamlVersion="1.1") as client:
        yield client


def messages(client: LanguageClient, path: Path) -> list[str]:
    found = client.open(path.as_uri(), path.read_text("utf-8"))
    return [each["message"] for each in found if each["source"].startswith("yaml-schema")]


def caught(client: LanguageClient) -> set[str]:
    examples = sorted((ROOT / "examples/invalid").glob("*.yaml"))
    found = {path.stem for path in examples if messages(client, path)}
    jobs = [path.stem for path in examples if "kind: Job\n" in path.read_text("utf-8")]
    print(
        f"caught {len(found.intersection(jobs))} of {len(jobs)} Jobs, {len(found)} of {len(examples)}"
    )
    return found


def test_two_thirds_of_the_mistakes_are_caught(server: LanguageClient) -> None:
    found = caught(server)
    assert len(found) == 13
    assert "unquoted-yes" not in found


def test_with_the_yaml_that_kubernetes_reads_one_more_is_caught(
    server: LanguageClient, server_of_yaml_1_1: LanguageClient
) -> None:
    assert caught(server_of_yaml_1_1) - caught(server) == {"unquoted-yes"}


FILES = [
    *sorted((ROOT / "examples/valid").glob("*.yaml")),
    *sorted((ROOT / "examples/tutorial").glob("*.yaml")),
    *sorted((ROOT / "examples/scenarios").glob("*.yaml")),
    *sorted((ROOT / "policies").rglob("*.yaml")),
]


def test_there_is_no_false_error_in_valid_files(server: LanguageClient) -> None:
    wrong = {path.name: found for path in FILES if (found := messages(server, path))}
    print(f"false errors in {len(FILES)} files: {wrong}")
    assert wrong == {}


def test_there_is_no_false_error_in_a_file_of_several_kinds(server: LanguageClient) -> None:
    policy = (ROOT / "policies/regulated.yaml").read_text("utf-8")
    mixed = "---\n".join(
        [SERVICE, JOB.replace("      affinity:\n", ""), policy, "a: [1]\n", SERVICE]
    )
    assert server.open("file:///repository/mixed.yaml", mixed) == []


def test_a_mistake_is_explained_in_the_words_of_the_server(server: LanguageClient) -> None:
    path = ROOT / "examples/invalid/indexed-without-completions.yaml"
    assert messages(server, path) == [
        "completions: Required value: when completion mode is Indexed"
    ]
    wrong = JOB.replace("Indexed", "Indexd")
    (found,) = server.open("file:///repository/a.yaml", wrong)
    assert found["message"] == 'Unsupported value: supported values: "NonIndexed", "Indexed"'
    (found,) = server.open(
        "file:///repository/b.yaml", JOB.replace("Policy: Never", "Policy: Always")
    )
    assert found["message"] == 'restartPolicy: Required value: valid values: "OnFailure", "Never"'


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("completionMode", {"Indexed", "NonIndexed"}),
        ("podReplacementPolicy", {"Failed", "TerminatingOrFailed"}),
        ("suspend", {"false", "true"}),
        ("restartPolicy", {"Never", "OnFailure"}),
        ("dnsPolicy", {"ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"}),
        ("affinity", set()),
        ("imagePullPolicy", {"Always", "IfNotPresent", "Never"}),
        ("kind", {"Job", "CronJob", "JobSet", "JobPolicy", "JobPolicyTest", "JobScenario"}),
        (
            "apiVersion",
            {"batch/v1", "jobset.x-k8s.io/v1alpha2", "jobsworth.dev/v1alpha1"},
        ),
    ],
)
def test_only_values_that_a_job_may_have_are_completed(
    server: LanguageClient, field: str, expected: set[str]
) -> None:
    lines = JOB.splitlines()
    number = next(index for index, line in enumerate(lines) if line.strip().startswith(f"{field}:"))
    lines[number] = lines[number].partition(":")[0] + ": "
    assert completed(server, lines, number) == expected


def completed(server: LanguageClient, lines: list[str], number: int) -> set[str]:
    uri = f"file:///repository/complete-{number}.yaml"
    server.open(uri, "\n".join(lines) + "\n")
    answer: dict[str, Any] = server.call(
        "textDocument/completion",
        textDocument={"uri": uri},
        position={"line": number, "character": len(lines[number])},
    )
    return {item["label"] for item in answer["items"]}


def test_a_field_is_explained(server: LanguageClient) -> None:
    server.open("file:///repository/hover.yaml", JOB)
    answer = server.call(
        "textDocument/hover",
        textDocument={"uri": "file:///repository/hover.yaml"},
        position={"line": 5, "character": 5},
    )
    assert "each Pod has an index" in answer["contents"]["value"]
