"""`jobsworth audit`, against a server that answers as an API server does."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from support.api_server.fake_list_server import FakeListServer, status
from support.api_server.stored_objects import cron_manifest, ended, manifest, owned, stored
from support.cli.command_runs import Command, CommandResult

pytest.importorskip("kubernetes")

JOBS, CRON_JOBS = "/apis/batch/v1/jobs", "/apis/batch/v1/cronjobs"
REJECTED_TODAY = manifest("indexed", backoffLimitPerIndex=1)
HANGS = manifest("hangs", activeDeadlineSeconds=None)


def test_objects_in_exempt_namespaces_are_skipped_and_counted(
    server: FakeListServer, audit: Command
) -> None:
    server.jobs = [stored(REJECTED_TODAY, "kube-system"), stored(manifest())]
    done = audit("-A", "--exempt-namespace", "kube-system,jobsworth")
    assert done.code == 0
    assert "1 in exempt namespaces, skipped" in done.err


def test_a_cluster_without_faults_exits_with_0(server: FakeListServer, audit: Command) -> None:
    server.jobs = [stored(manifest())]
    done = audit("-A")
    assert done.code == 0
    assert done.out.splitlines() == [
        "NAMESPACE  JOBS  CRONJOBS  ERRORS  WARNINGS  INFO  MOST OFTEN",
        "(all)         1         0       0         0     0",
    ]
    assert (
        done.err
        == 'context "test", as Kubernetes 1.36: 1 object in 1 namespace; 1 valid, 0 invalid\n'
    )


def test_a_stored_object_that_would_be_rejected_today_exits_with_1(
    server: FakeListServer, audit: Command
) -> None:
    server.jobs = [stored(REJECTED_TODAY, "batch"), stored(manifest())]
    done = audit("-A")
    assert done.code == 1
    assert "batch/Job/indexed  1 error  JW004 FieldValueInvalid" in done.out
    assert "2 objects in 2 namespaces; 1 valid, 1 invalid" in done.err


def test_an_empty_cluster_says_so(audit: Command) -> None:
    done = audit("-A")
    assert (done.code, done.out) == (0, "")
    assert "no Job or CronJob found" in done.err


def test_the_credentials_go_with_every_request(server: FakeListServer, audit: Command) -> None:
    audit("-A")
    assert server.headers["authorization"] == "Bearer secret"
    assert server.headers["user-agent"] == "jobsworth"


# Where it looks.


def test_the_namespace_is_that_of_the_context(server: FakeListServer, audit: Command) -> None:
    server.namespaces["batch"] = {}
    server.jobs = [stored(REJECTED_TODAY, "batch"), stored(HANGS)]
    assert "default/Job/hangs" in audit("-o", "concise", "--info").out
    assert "batch/Job/indexed" in audit("--context", "other", "-o", "concise", "--info").out
    paths = [path for path, _ in server.requests]
    assert JOBS not in paths
    assert "/apis/batch/v1/namespaces/batch/jobs" in paths


def test_several_namespaces_can_be_named(server: FakeListServer, audit: Command) -> None:
    server.namespaces |= {"a": {}, "b": {}}
    server.jobs = [stored(manifest(), name) for name in ("a", "b", "default")]
    assert "2 objects in 2 namespaces" in audit("-n", "a,b").err
    assert "2 objects in 2 namespaces" in audit("-n", "a", "--namespace", "b", "-n", "a").err


def test_a_namespace_that_is_not_there_is_an_error(audit: Command) -> None:
    done = audit("-n", "typo")
    assert (done.code, done.out) == (2, "")
    assert done.err == 'Error: context "test" has no namespace "typo"\n'


def test_a_namespace_and_all_of_them_are_one_too_many(audit: Command) -> None:
    done = audit("-A", "-n", "default")
    assert done.code == 2
    assert "--namespace and --all-namespaces exclude each other" in done.err


# Which objects.


def test_finished_jobs_are_left_out(server: FakeListServer, audit: Command) -> None:
    server.jobs = [
        stored(REJECTED_TODAY, status=ended("Complete")),
        stored(REJECTED_TODAY, status=ended("Failed")),
        stored(REJECTED_TODAY, deletionTimestamp="2025-11-03T08:00:00Z"),
        stored(manifest()),
    ]
    done = audit("-A")
    assert done.code == 0
    assert "3 finished or terminating, skipped (include with --include-finished)" in done.err
    assert "4 objects in 1 namespace; 1 valid, 3 invalid" in audit("-A", "--include-finished").err


def test_a_cron_job_stands_for_its_jobs(server: FakeListServer, audit: Command) -> None:
    server.cron_jobs = [cron_job] = [stored(cron_manifest("nightly", concurrencyPolicy="Never"))]
    server.jobs = [owned(stored(HANGS), cron_job), stored(HANGS)]
    done = audit("-A", "-o", "concise", "--info")
    assert [line.partition(":")[0] for line in done.out.splitlines()] == [
        "default/CronJob/nightly",
        "default/Job/hangs",
    ]
    assert "1 Job created by CronJobs, skipped (include with --include-owned)" in done.err
    assert len(audit("-A", "-o", "concise", "--info", "--include-owned").out.splitlines()) == 3


def test_jobs_whose_cron_job_is_gone_stand_for_themselves(
    server: FakeListServer, audit: Command
) -> None:
    server.jobs = [owned(stored(HANGS), stored(cron_manifest()))]
    assert "default/Job/hangs" in audit("-A", "-o", "concise", "--info").out


# Releases to validate for.


def test_the_release_is_that_of_the_cluster(server: FakeListServer, audit: Command) -> None:
    server.version = ("1", "28+")
    server.jobs = [stored(manifest(managedBy="example.com/queue"), release="1.36")]
    done = audit("-A")
    assert done.code == 1
    assert "as Kubernetes 1.28: " in done.err
    requested = audit("-A", "--kubernetes-version", "1.36")
    assert requested.code == 0
    assert "as Kubernetes 1.36 (the cluster runs 1.28): " in requested.err


@pytest.mark.parametrize(("minor", "nearest"), [("99", "1.38"), ("19", "1.25")])
def test_an_unknown_release_is_validated_as_the_nearest(
    minor: str, nearest: str, server: FakeListServer, audit: Command
) -> None:
    server.version = ("1", minor)
    done = audit("-A")
    assert done.code == 0
    assert (
        f"note: the cluster runs Kubernetes 1.{minor}, an unknown release: audited as Kubernetes {nearest}"
        in done.err
    )


def test_a_cluster_that_hides_its_version_is_validated_as_the_newest(
    server: FakeListServer, audit: Command
) -> None:
    server.faults = [answers("/version", 403, status(403, "Forbidden", "no"))]
    done = audit("-A")
    assert done.code == 0
    assert "note: the cluster does not report its version: audited as Kubernetes 1.37" in done.err


def test_privileged_pods_are_not_reported(server: FakeListServer, audit: Command) -> None:
    written = manifest()
    (container,) = written["spec"]["template"]["spec"]["containers"]
    privileged = {**container, "securityContext": {"privileged": True}}
    pod = {**written["spec"]["template"]["spec"], "containers": [privileged]}
    written["spec"]["template"] = {"spec": pod}
    server.jobs = [stored(written)]
    assert audit("-A").code == 0


def test_rules_are_selected_as_for_manifests(
    server: FakeListServer, audit: Command, tmp_path: Path
) -> None:
    server.jobs = [stored(HANGS)]
    assert audit("-A", "-o", "concise", "--info", "--ignore", "JW201").out == ""
    (tmp_path / ".jobsworth.yaml").write_text("severity: {JW201: error}\n", encoding="utf-8")
    assert audit("-A").code == 1
    assert audit("-A", "--isolated").code == 0


@pytest.mark.parametrize("wrong", [["--select", "JW999"], ["--kubernetes-version", "1.3"]])
def test_a_wrong_option_is_reported_before_any_request(
    wrong: list[str], server: FakeListServer, audit: Command
) -> None:
    assert audit("-A", *wrong).code == 2
    assert server.requests == []


# Policies.

POLICY = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata: {name: research}
spec:
  match: [{namespaceSelector: {matchLabels: {team: research}}}]
  limits:
    ttlSecondsAfterFinished: {required: true}
  rules: {JW201: deny}
"""


def policy(folder: Path) -> str:
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    return "policy.yaml"


def test_policies_apply_to_stored_objects(
    server: FakeListServer, audit: Command, tmp_path: Path
) -> None:
    server.namespaces |= {"lab": {"team": "research"}, "shop": {"team": "shop"}}
    written = manifest(activeDeadlineSeconds=None, ttlSecondsAfterFinished=None)
    server.jobs = [stored(written, "lab"), stored(written, "shop")]
    done = audit("-A", "--policy", policy(tmp_path), "-o", "concise", "--info")
    assert done.code == 1
    reported = [tuple(line.split(": ")[0:2]) for line in done.out.splitlines()]
    assert [(place, answer.rpartition(" ")[0]) for place, answer in reported] == [
        ("lab/Job/train", "error JP004"),
        ("lab/Job/train", "error JW201"),
        ("lab/Job/train", "info JW204"),
        ("shop/Job/train", "info JW201"),
        ("shop/Job/train", "info JW204"),
    ]
    table = audit("-A", "--policy", "policy.yaml").out
    assert "JP004 required of policy research" in table


def test_labels_are_read_of_the_namespaces_that_are_named(
    server: FakeListServer, audit: Command, tmp_path: Path
) -> None:
    server.namespaces["lab"] = {"team": "research"}
    server.jobs = [stored(HANGS, "lab")]
    assert audit("-n", "lab", "--policy", policy(tmp_path)).code == 1
    assert "/api/v1/namespaces" not in [path for path, _ in server.requests]


def test_labels_that_may_not_be_read_are_missed_aloud(
    server: FakeListServer, audit: Command, tmp_path: Path
) -> None:
    server.jobs = [stored(HANGS, "lab")]
    server.faults = [answers("/api/v1/namespaces", 403, status(403, "Forbidden", "no"))]
    done = audit("-A", "--policy", policy(tmp_path), "-o", "concise", "--info")
    assert done.err.startswith(
        "note: cannot read namespace labels; grant get and list on namespaces"
    )
    assert done.code == 0
    assert done.out.startswith("lab/Job/hangs: warning JW201 ")


def test_namespace_labels_are_not_requested_without_need(
    server: FakeListServer, audit: Command
) -> None:
    server.jobs = [stored(manifest())]
    audit("-A")
    assert "/api/v1/namespaces" not in [path for path, _ in server.requests]


def test_a_wrong_policy_is_reported_with_its_place(audit: Command, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(POLICY.replace("limits", "limit"), encoding="utf-8")
    done = audit("-A", "--policy", "policy.yaml")
    assert done.code == 2
    assert "policy.yaml:6:3: error: spec.limit: " in done.err


# Output formats.


def test_concise_lines_begin_with_the_object(server: FakeListServer, audit: Command) -> None:
    server.jobs = [stored(REJECTED_TODAY, "batch")]
    assert audit("-A", "-o", "concise", "--info").out == (
        "batch/Job/indexed: error JW004 spec.backoffLimitPerIndex: "
        "Invalid value: 1: requires indexed completion mode\n"
    )


def test_the_text_report_names_the_object_once(server: FakeListServer, audit: Command) -> None:
    server.jobs = [stored(REJECTED_TODAY, "batch")]
    assert audit("-A", "-o", "text").out.splitlines() == [
        "batch/Job/indexed: error: spec.backoffLimitPerIndex [JW004]",
        "  Invalid value: 1: requires indexed completion mode",
        "",
    ]


def test_json_has_objects_and_no_files(server: FakeListServer, audit: Command) -> None:
    server.jobs = [stored(REJECTED_TODAY, "batch")]
    loaded = json.loads(audit("-A", "-o", "json").out)
    assert loaded["results"] == [
        {
            "kind": "Job",
            "namespace": "batch",
            "name": "indexed",
            "status": "invalid",
            "fails": True,
            "findings": [
                {
                    "source": "api",
                    "severity": "error",
                    "code": "JW004",
                    "field": "spec.backoffLimitPerIndex",
                    "reason": "FieldValueInvalid",
                    "message": "Invalid value: 1: requires indexed completion mode",
                }
            ],
        }
    ]
    assert loaded["summary"]["namespaces"] == 1
    assert loaded["summary"]["invalid"] == 1


def test_sarif_has_logical_places(server: FakeListServer, audit: Command) -> None:
    server.jobs = [stored(REJECTED_TODAY, "batch")]
    (result,) = json.loads(audit("-A", "-o", "sarif").out)["runs"][0]["results"]
    name = "Job/batch/indexed#spec.backoffLimitPerIndex"
    assert result["locations"] == [
        {"logicalLocations": [{"fullyQualifiedName": name, "kind": "object"}]}
    ]


def test_junit_has_a_suite_for_each_namespace(server: FakeListServer, audit: Command) -> None:
    server.jobs = [
        stored(manifest(), "a"),
        stored(manifest("b1"), "b"),
        stored(REJECTED_TODAY, "b"),
    ]
    suites = ElementTree.fromstring(audit("-A", "-o", "junit").out).findall("testsuite")
    found = [(each.get("name"), each.get("tests"), each.get("failures")) for each in suites]
    assert found == [("a", "1", "0"), ("b", "2", "1")]


def test_a_github_annotation_names_the_object(server: FakeListServer, audit: Command) -> None:
    server.jobs = [stored(REJECTED_TODAY, "batch")]
    assert audit("-A", "-o", "github").out.startswith(
        "::error title=JW004 FieldValueInvalid::batch/Job/indexed: spec.backoffLimitPerIndex: Invalid"
    )


def test_a_quiet_report_has_only_what_is_invalid(server: FakeListServer, audit: Command) -> None:
    server.jobs = [stored(REJECTED_TODAY), stored(HANGS)]
    done = audit("-A", "-q", "-o", "concise", "--info")
    assert len(done.out.splitlines()) == 1
    assert done.err == ""


# Large clusters.


@pytest.mark.slow
def test_a_large_cluster_is_read_in_pages(server: FakeListServer, audit: Command) -> None:
    job = stored(manifest())
    server.jobs = [
        {**job, "metadata": {**job["metadata"], "uid": str(index)}} for index in range(1203)
    ]
    assert "1203 objects in 1 namespace" in audit("-A").err
    requested = [query for path, query in server.requests if path == JOBS]
    assert requested == [
        {"limit": "500"},
        {"limit": "500", "continue": "500"},
        {"limit": "500", "continue": "1000"},
    ]


def many(server: FakeListServer) -> None:
    server.jobs = [
        stored(manifest(f"job-{index}", activeDeadlineSeconds=None)) for index in range(1100)
    ]


def names(done: CommandResult) -> list[str]:
    return [line.partition(":")[0].rpartition("/")[2] for line in done.out.splitlines()]


@pytest.mark.slow
def test_an_expired_list_goes_on_where_it_was(server: FakeListServer, audit: Command) -> None:
    many(server)
    expired = status(410, "Expired", "The provided continue parameter is too old", resume="500")
    server.faults = [once(answers(JOBS, 410, expired, after="500"))]
    done = audit("-A", "-o", "concise", "--info")
    assert names(done) == [f"job-{index}" for index in range(1100)]
    requested = [query.get("continue") for path, query in server.requests if path == JOBS]
    assert requested == [None, "500", "500", "1000"]


@pytest.mark.slow
def test_an_expired_list_begins_anew_and_counts_nothing_twice(
    server: FakeListServer, audit: Command
) -> None:
    many(server)
    expired = status(410, "Expired", "The provided continue parameter is too old")
    server.faults = [once(answers(JOBS, 410, expired, after="1000"))]
    done = audit("-A", "-o", "concise", "--info")
    assert names(done) == [f"job-{index}" for index in range(1100)]
    requested = [query.get("continue") for path, query in server.requests if path == JOBS]
    assert requested == [None, "500", "1000", None, "500", "1000"]


@pytest.mark.slow
def test_a_list_that_always_expires_is_given_up(server: FakeListServer, audit: Command) -> None:
    many(server)
    server.faults = [answers(JOBS, 410, status(410, "Expired", "too old"), after="500")]
    done = audit("-A")
    assert done.code == 2
    assert (
        "expired 5 times before it was read completely: audit single namespaces with -n" in done.err
    )


def test_a_list_whose_continue_token_leads_nowhere_has_an_end(
    server: FakeListServer, audit: Command
) -> None:
    page = {"metadata": {"continue": "again"}, "items": [stored(manifest())]}
    server.faults = [lambda path, query: (200, page) if path == JOBS else None]
    done = audit("-A")
    assert done.code == 2
    assert (
        f"Error: the list of {JOBS} does not end: the server keeps sending continue tokens; "
        "check that this is a Kubernetes API server"
    ) in done.err
    assert len([path for path, _ in server.requests if path == JOBS]) == 2


@pytest.mark.parametrize("code", [429, 500, 503])
def test_a_busy_server_is_retried(code: int, server: FakeListServer, audit: Command) -> None:
    server.jobs = [stored(manifest())]
    server.faults = [once(answers(JOBS, code, status(code, "Busy", "try again later")))]
    assert audit("-A").code == 0


def test_a_server_that_stays_busy_is_an_error(server: FakeListServer, audit: Command) -> None:
    server.faults = [answers(JOBS, 429, status(429, "TooManyRequests", "too many requests"))]
    done = audit("-A")
    assert (done.code, done.err) == (2, f"Error: {server.url} responded: too many requests\n")


# What goes wrong.


def test_expired_credentials(server: FakeListServer, audit: Command) -> None:
    server.faults = [lambda path, query: (401, status(401, "Unauthorized", "Unauthorized"))]
    done = audit("-A")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f'Error: {server.url} rejects the credentials of context "test" (401 Unauthorized): they '
        "may have expired; log in again, or choose another context with --context\n"
    )


def test_terminal_escapes_from_a_server_are_neutralized(
    server: FakeListServer, audit: Command
) -> None:
    answer = status(401, "Unauthorized", "a\x1b[2Jb")
    server.faults = [lambda path, query: (401, answer)]
    assert "(401 a [2Jb)" in audit("-A").err


BROKEN_OBJECTS: list[Any] = [
    3,
    None,
    {},
    {"metadata": None},
    {"metadata": {}},
    {"metadata": {"name": 3, "namespace": [], "uid": {}}},
    {"metadata": {"name": "a", "namespace": "b", "uid": [1]}},
    {"spec": 3},
    {"status": 3},
    {"status": {"conditions": 3}},
    {"status": {"conditions": [1]}},
    {"metadata": {"name": "a", "namespace": "b", "uid": "c", "ownerReferences": [1]}},
    {"metadata": {"name": "a", "namespace": "b", "uid": "c", "ownerReferences": 3}},
    {"metadata": {"name": "a", "namespace": "b", "uid": "c", "labels": 3, "annotations": [1]}},
    {"spec": {"template": 3}},
    {"spec": {"template": {"metadata": 3, "spec": []}}},
    {"metadata": {"name": "a", "namespace": "b", "uid": "c", "managedFields": [1]}},
]


@pytest.mark.parametrize("broken", BROKEN_OBJECTS, ids=str)
@pytest.mark.parametrize("where", ["jobs", "cron_jobs"])
def test_objects_that_no_api_server_sends_end_in_a_report_or_an_error(
    where: str, broken: Any, server: FakeListServer, audit: Command
) -> None:
    sound = stored(manifest() if where == "jobs" else cron_manifest())
    page = {"items": [{**sound, **broken} if isinstance(broken, dict) and broken else broken]}
    path = JOBS if where == "jobs" else CRON_JOBS
    server.faults = [lambda requested, query: (200, page) if requested == path else None]
    done = audit("-A")
    assert done.code in (0, 1, 2)
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("path", [JOBS, CRON_JOBS])
def test_a_forbidden_list(path: str, server: FakeListServer, audit: Command) -> None:
    answer = (
        'jobs.batch is forbidden: User "alice" cannot list resource "jobs" at the cluster scope'
    )
    server.faults = [answers(path, 403, status(403, "Forbidden", answer))]
    done = audit("-A")
    assert (done.code, done.out) == (2, "")
    assert answer in done.err
    assert "grant the verb list on jobs and cronjobs" in done.err


def test_no_credentials_at_all(server: FakeListServer, audit: Command) -> None:
    answer = 'jobs.batch is forbidden: User "system:anonymous" cannot list resource "jobs"'
    server.faults = [answers(CRON_JOBS, 403, status(403, "Forbidden", answer))]
    assert "rejects anonymous requests (403 " in audit("-A").err


@pytest.mark.parametrize("body", ["<html>Sign in</html>", "[1]", ""])
def test_something_else_than_an_api_server(
    body: str, server: FakeListServer, audit: Command
) -> None:
    server.faults = [lambda path, query: (200, body)]
    done = audit("-A")
    assert done.code == 2
    assert "but not like a Kubernetes API server" in done.err


def test_a_server_that_does_not_listen(
    server: FakeListServer, audit: Command, tmp_path: Path
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        server.url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        server.kubeconfig(tmp_path)
        done = audit("-A")
    assert done.code == 2
    assert done.err == (
        f"Error: {server.url} refuses connections: check that the cluster runs, and the server address of "
        'context "test"\n'
    )


def test_a_host_that_does_not_exist(server: FakeListServer, audit: Command, tmp_path: Path) -> None:
    server.url = "https://no-such-host.invalid:6443"
    server.kubeconfig(tmp_path)
    assert "the host of https://no-such-host.invalid:6443 cannot be resolved" in audit("-A").err


@pytest.mark.slow
def test_a_server_that_does_not_answer(
    server: FakeListServer, audit: Command, tmp_path: Path
) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        server.url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        server.kubeconfig(tmp_path)
        done = audit("-A", "--request-timeout", "1")
    assert done.code == 2
    assert "did not answer within 1 s: raise --request-timeout" in done.err


def test_a_server_without_tls_where_tls_is_wanted(
    server: FakeListServer, audit: Command, tmp_path: Path
) -> None:
    server.url = server.url.replace("http:", "https:")
    server.kubeconfig(tmp_path)
    assert "no TLS connection to https://127.0.0.1:" in audit("-A").err


# Configurations.


def test_an_unknown_context_is_named_beside_the_known_ones(audit: Command, tmp_path: Path) -> None:
    done = audit("-A", "--context", "tset")
    assert done.code == 2
    assert done.err == (
        f'Error: the kubeconfig {tmp_path / "kubeconfig"} has no context "tset"; it has: other, test\n'
    )


def test_no_kubeconfig(audit: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBECONFIG")
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    done = audit("-A")
    assert done.code == 2
    assert done.err == (
        "Error: no cluster is configured: $KUBECONFIG is not set, and ~/.kube/config does not exist; "
        "name a file with --kubeconfig\n"
    )


def test_a_kubeconfig_that_is_named_and_absent(audit: Command) -> None:
    assert (
        "the kubeconfig absent.yaml does not exist"
        in audit("-A", "--kubeconfig", "absent.yaml").err
    )


def test_several_kubeconfigs_are_merged(
    server: FakeListServer, audit: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = os.pathsep.join([str(tmp_path / "absent"), os.environ["KUBECONFIG"]])
    monkeypatch.setenv("KUBECONFIG", both)
    assert audit("-A").code == 0


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("{", "cannot be read"),
        ("", "cannot be read"),
        ("[1, 2]", "cannot be read"),
        ("contexts: []\n", "has no current-context"),
        ("contexts: [{name: a, context: {cluster: c, user: u}}]\n", "has no current-context"),
        ("current-context: a\ncontexts: [{name: a}]\n", 'context "a" of the kubeconfig'),
        (
            "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n",
            'context "a" of the kubeconfig',
        ),
        (
            "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
            "clusters: [{name: c, cluster: {server: 'localhost'}}]\nusers: [{name: u, user: {}}]\n",
            "it must be a URL",
        ),
        (
            "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
            "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1', certificate-authority: no.crt}}]\n"
            "users: [{name: u, user: {}}]\n",
            "no.crt",
        ),
        (
            "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
            "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1', certificate-authority-data: bm8=}}]\n"
            "users: [{name: u, user: {}}]\n",
            "https://127.0.0.1:1",
        ),
        (
            "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
            "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"
            "users: [{name: u, user: {exec: {command: no-such-plugin, apiVersion: client.authentication.k8s.io/v1}}}]\n",
            "has no credentials",
        ),
    ],
)
def test_a_kubeconfig_that_cannot_be_used(
    text: str, answer: str, audit: Command, tmp_path: Path
) -> None:
    (tmp_path / "wrong").write_text(text, encoding="utf-8")
    done = audit("-A", "--kubeconfig", "wrong")
    assert done.code == 2
    assert done.err.startswith("Error: ")
    assert answer in done.err
    assert done.err.count("\n") == 1


def test_a_pod_without_a_kubeconfig_uses_its_own_account(
    server: FakeListServer, audit: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KUBECONFIG")
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "1")
    assert "set automountServiceAccountToken: true" in audit("-A").err


def test_no_key_of_a_kubeconfig_is_left_behind(
    server: FakeListServer, audit: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    server.kubeconfig(
        tmp_path, **{"client-key-data": "a2V5", "client-certificate-data": "Y2VydA=="}
    )
    audit("-A")
    assert list(folder.iterdir()) == []


def answers(path: str, code: int, body: Any, after: str | None = None) -> Any:
    """A fault: this is what a path answers, or only the page after a token."""

    def fault(requested: str, query: dict[str, str]) -> tuple[int, Any] | None:
        wanted = requested == path and (after is None or query.get("continue") == after)
        return (code, body) if wanted else None

    return fault


def once(fault: Any) -> Any:
    """The same fault, the first time only."""
    spent: list[bool] = []

    def fault_once(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        found: tuple[int, Any] | None = None if spent else fault(path, query)
        if found is not None:
            spent.append(True)
        return found

    return fault_once


# What no API server sends.

IDENTITY = {"name": "a", "namespace": "default", "uid": "c"}
ODD_OBJECTS: list[Any] = [
    3, None, [], {}, {"metadata": 3}, {"metadata": None}, {"metadata": {"name": "a"}},
    {"metadata": {**IDENTITY, "uid": {}}},
    {"metadata": {**IDENTITY, "uid": []}},
    {"metadata": {**IDENTITY, "ownerReferences": [1]}},
    {"metadata": {**IDENTITY, "ownerReferences": 3}},
    {"metadata": {**IDENTITY, "ownerReferences": [{"controller": True, "kind": "CronJob", "uid": []}]}},
    {"metadata": {**IDENTITY, "labels": 3, "annotations": [1], "managedFields": [1]}},
    {"metadata": {**IDENTITY, "deletionTimestamp": []}},
    {"metadata": IDENTITY, "spec": 3},
    {"metadata": IDENTITY, "spec": {"template": [1]}},
    {"metadata": IDENTITY, "status": 3},
    {"metadata": IDENTITY, "status": {"conditions": [1]}},
    {"metadata": IDENTITY, "status": {"conditions": [{"type": [], "status": {}}]}},
]  # fmt: skip
ODD_LISTS: list[Any] = [
    3, [], {"items": 3}, {"items": {"a": 1}}, {"metadata": 3}, {"metadata": {"continue": 3}},
    {"metadata": {"resourceVersion": []}}, {"metadata": {"remainingItemCount": "9"}}, "no JSON",
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD_OBJECTS, ids=json.dumps)
def test_an_odd_object_is_a_result_or_an_error(
    odd: Any, server: FakeListServer, audit: Command
) -> None:
    server.faults.append(
        lambda path, query: (200, {"items": [odd]}) if path in (JOBS, CRON_JOBS) else None
    )
    done = audit("-A")
    assert done.code in (0, 1, 2)
    assert bool(done.out) == (done.code != 2) or "no Job or CronJob found" in done.err


@pytest.mark.slow
@pytest.mark.parametrize("odd", ODD_LISTS, ids=json.dumps)
@pytest.mark.parametrize(
    "path", [JOBS, "/version", "/api/v1/namespaces", "/api/v1/namespaces/default"]
)
def test_an_odd_answer_is_an_error_or_an_empty_list(
    path: str, odd: Any, server: FakeListServer, audit: Command
) -> None:
    server.faults.append(lambda asked, query: (200, odd) if asked == path else None)
    Path("policy.yaml").write_text(
        "apiVersion: jobsworth.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: house}\n"
        "spec: {match: {namespaceSelector: {matchLabels: {a: b}}}, limits: {backoffLimit: {maximum: 3}}}\n"
    )
    for scope in ("-A", "-ndefault"):
        assert audit(scope, "--policy", "policy.yaml").code in (0, 2)


def test_a_message_of_the_server_is_escaped(server: FakeListServer, audit: Command) -> None:
    refused = status(401, "Unauthorized", "\x1b]0;title\x07\n::error::x")
    server.faults.append(lambda path, query: (401, refused))
    done = audit("-A")
    assert done.code == 2
    assert done.err.rstrip("\n").isprintable()


def test_jobs_of_a_job_set_are_reported_once_with_their_owner(
    server: FakeListServer, audit: Command
) -> None:
    job_set = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet"}
    job_set |= {"metadata": {"name": "train", "uid": "set"}}
    server.jobs = [owned(stored(REJECTED_TODAY), job_set) for _ in range(3)]
    done = audit("-A")
    assert "default/Job/indexed of JobSet train" in done.out
    assert "1 object in 1 namespace; 0 valid, 1 invalid" in done.err
    assert "2 more Jobs of the same owners with the same findings" in done.err
    detailed = audit("-A", "-o", "text").out
    assert "Change it in JobSet train, which creates the Job" in detailed
