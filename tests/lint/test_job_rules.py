"""Lint rules about the limits, the number and the life of Pods, at their edges."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.lint.rules.success_policies import RequiredIndexes, required_indexes, shared, size
from support.lint.linted_jobs import (
    INIT,
    POD,
    after_fix,
    cron_job,
    fields,
    found,
    job,
    on_codes,
    on_condition,
    with_labels,
    with_policy,
)

INDEXED: dict[str, Any] = {"completionMode": "Indexed", "completions": 10, "parallelism": 5}
ON_FAILURE = {"restartPolicy": "OnFailure"}
FAIL_INDEX = on_codes("FailIndex", "In", 42)
IGNORE = on_condition("Ignore", "DisruptionTarget")


def success(*rules: dict[str, Any]) -> dict[str, Any]:
    return job(**INDEXED, successPolicy={"rules": list(rules)})


def labelled(value: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    value["metadata"].update(metadata)
    return value


def using(*images: str, **pod: Any) -> dict[str, Any]:
    containers = [{"name": f"c{number}", "image": image} for number, image in enumerate(images)]
    return job({"containers": containers, **pod})


def running(container: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return job({"containers": [{"name": "main", "image": "busybox:1.36", **container}]}, **spec)


def from_field(path: str) -> dict[str, Any]:
    return {"valueFrom": {"fieldRef": {"fieldPath": path}}}


INDEX_FIELD = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
CLAIM = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}


def mounting(claim: dict[str, Any], **mount: Any) -> dict[str, Any]:
    mounts = [{"name": "data", "mountPath": "/data", **mount}]
    return {
        "volumes": [claim],
        "containers": [{"name": "main", "image": "busybox:1.36", "volumeMounts": mounts}],
    }


CASES: list[tuple[str, str, dict[str, Any], list[str]]] = [
    # JW119 failindex-redundant
    ("no retries", "JW119", with_policy(FAIL_INDEX, backoffLimitPerIndex=0, **INDEXED), ["podFailurePolicy.rules[0].action"]),
    ("a retry", "JW119", with_policy(FAIL_INDEX, backoffLimitPerIndex=1, **INDEXED), []),
    ("also before Ignore", "JW119", with_policy(FAIL_INDEX, IGNORE, backoffLimitPerIndex=0, **INDEXED), ["podFailurePolicy.rules[0].action"]),
    ("to fail for disruptions is an answer", "JW119", with_policy(on_condition("FailIndex", "DisruptionTarget"), backoffLimitPerIndex=0, **INDEXED), []),
    ("Count is another matter", "JW119", with_policy(on_codes("Count", "In", 42), backoffLimitPerIndex=0, **INDEXED), []),
    # JW122 failindex-single
    ("one index", "JW122", with_policy(FAIL_INDEX, backoffLimitPerIndex=1, completionMode="Indexed", completions=1), ["podFailurePolicy.rules[0].action"]),
    ("two", "JW122", with_policy(FAIL_INDEX, backoffLimitPerIndex=1, completionMode="Indexed", completions=2), []),
    # JW201 no-deadline
    ("none", "JW201", job(), ["activeDeadlineSeconds"]),
    ("one", "JW201", job(activeDeadlineSeconds=60), []),
    ("that of the Pod has its own rule", "JW201", job({"activeDeadlineSeconds": 60}), []),
    ("in a CronJob", "JW201", cron_job(job()), ["activeDeadlineSeconds"]),
    ("with Forbid another rule speaks", "JW201", cron_job(job(), concurrencyPolicy="Forbid"), []),
    (
        "with Forbid and suspended",
        "JW201",
        cron_job(job(), concurrencyPolicy="Forbid", suspend=True),
        ["activeDeadlineSeconds"],
    ),
    # JW202 pod-level-deadline
    ("of the Pod only", "JW202", job({"activeDeadlineSeconds": 60}), ["template.spec.activeDeadlineSeconds"]),
    ("of the Pod, which no other follows", "JW202", job({"activeDeadlineSeconds": 60}, backoffLimit=0), []),
    ("of both", "JW202", job({"activeDeadlineSeconds": 60}, activeDeadlineSeconds=600), []),
    # JW203 deadline-zero
    ("0", "JW203", job(activeDeadlineSeconds=0), ["activeDeadlineSeconds"]),
    ("1", "JW203", job(activeDeadlineSeconds=1), []),
    ("in a CronJob", "JW203", cron_job(job(activeDeadlineSeconds=0)), ["activeDeadlineSeconds"]),
    # JW204 no-ttl
    ("none", "JW204", job(), ["ttlSecondsAfterFinished"]),
    ("one", "JW204", job(ttlSecondsAfterFinished=0), []),
    ("a CronJob tidies up", "JW204", cron_job(job()), []),
    ("Helm deletes its hooks", "JW204", labelled(job(), annotations={"helm.sh/hook": "pre-install"}), []),
    ("Argo CD too", "JW204", labelled(job(), annotations={"argocd.argoproj.io/hook": "Sync"}), []),
    (
        "an owner takes its Jobs with it",
        "JW204",
        labelled(job(), ownerReferences=[{"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "b"}]),
        [],
    ),
    ("Argo CD applies it", "JW204", labelled(job(), labels={"argocd.argoproj.io/instance": "a"}), ["ttlSecondsAfterFinished"]),
    # JW205 ttl-too-short
    ("0", "JW205", job(ttlSecondsAfterFinished=0), ["ttlSecondsAfterFinished"]),
    ("59", "JW205", job(ttlSecondsAfterFinished=59), ["ttlSecondsAfterFinished"]),
    ("60", "JW205", job(ttlSecondsAfterFinished=60), []),
    ("none", "JW205", job(), []),
    # JW206 onfailure-logs-lost
    ("a limit of restarts", "JW206", job(ON_FAILURE, backoffLimit=3), ["template.spec.restartPolicy"]),
    ("of none", "JW206", job(ON_FAILURE, backoffLimit=0), ["template.spec.restartPolicy"]),
    ("no limit is written", "JW206", job(ON_FAILURE), []),
    ("a limit of failures", "JW206", job(backoffLimit=3), []),
    # JW207 parallelism-exceeds-completions
    ("above", "JW207", job(parallelism=6, completions=5), ["parallelism"]),
    ("equal", "JW207", job(parallelism=5, completions=5), []),
    ("workers on a queue", "JW207", job(parallelism=5), []),
    ("no completions are another matter", "JW207", job(parallelism=5, completions=0), []),
    ("the default is not written", "JW207", job(completions=0), []),
    # JW208 paused
    ("0", "JW208", job(parallelism=0, completions=5), ["parallelism"]),
    ("0 workers", "JW208", job(parallelism=0), ["parallelism"]),
    ("nothing to do", "JW208", job(parallelism=0, completions=0), []),
    # JW209 index-without-indexed
    ("in an argument", "JW209", running({"args": ["--shard=$(JOB_COMPLETION_INDEX)"]}), ["template.spec.containers[0].args[0]"]),
    ("in a shell", "JW209", running({"command": ["sh", "-c", "run $JOB_COMPLETION_INDEX"]}), ["template.spec.containers[0].command[2]"]),
    ("with something in its place", "JW209", running({"command": ["sh", "-c", "run ${JOB_COMPLETION_INDEX:-0}"]}), []),
    ("with something in place of nothing", "JW209", running({"command": ["sh", "-c", "run ${JOB_COMPLETION_INDEX-0}"]}), []),
    ("set to something", "JW209", running({"command": ["sh", "-c", "run ${JOB_COMPLETION_INDEX:=0}"]}), []),
    ("set by the command", "JW209", running({"command": ["sh", "-c", "JOB_COMPLETION_INDEX=0 run"]}), []),
    ("in an init container", "JW209", job({"initContainers": [{**INIT, "args": ["$(JOB_COMPLETION_INDEX)"]}]}), ["template.spec.initContainers[0].args[0]"]),
    ("in a variable", "JW209", running({"env": [{"name": "SHARD", "value": "s-$(JOB_COMPLETION_INDEX)"}]}), ["template.spec.containers[0].env[0].value"]),
    ("the annotation", "JW209", running({"env": [{"name": "SHARD", **from_field(INDEX_FIELD)}]}), ["template.spec.containers[0].env[0]"]),
    (
        "in a file",
        "JW209",
        job({"volumes": [{"name": "info", "downwardAPI": {"items": [{"path": "index", "fieldRef": {"fieldPath": INDEX_FIELD}}]}}]}),
        ["template.spec.volumes[0]"],
    ),
    ("a variable of that name", "JW209", running({"env": [{"name": "JOB_COMPLETION_INDEX", "value": "7"}], "args": ["$(JOB_COMPLETION_INDEX)"]}), []),
    ("in an Indexed Job", "JW209", running({"args": ["$(JOB_COMPLETION_INDEX)"]}, **INDEXED), []),
    # JW210 duplicate-index-pods
    ("a hostname", "JW210", job({"subdomain": "workers"}, **INDEXED), ["podReplacementPolicy"]),
    ("a volume", "JW210", job(mounting(CLAIM), **INDEXED), ["podReplacementPolicy"]),
    ("written", "JW210", job(podReplacementPolicy="TerminatingOrFailed", **INDEXED), ["podReplacementPolicy"]),
    ("a volume that is only read", "JW210", job(mounting(CLAIM, readOnly=True), **INDEXED), []),
    ("a claim that is only read", "JW210", job(mounting({"name": "data", "persistentVolumeClaim": {"claimName": "data", "readOnly": True}}), **INDEXED), []),
    ("nothing shows an identity", "JW210", job(**INDEXED), []),
    ("it waits", "JW210", job({"subdomain": "workers"}, podReplacementPolicy="Failed", **INDEXED), []),
    ("a failure policy makes it wait", "JW210", with_policy(IGNORE, pod={"subdomain": "workers"}, **INDEXED), []),
    ("no retry, so no replacement", "JW210", job({"subdomain": "workers"}, backoffLimit=0, **INDEXED), []),
    ("no retry of an index", "JW210", job({"subdomain": "workers"}, backoffLimitPerIndex=0, **INDEXED), []),
    ("a retry", "JW210", job({"subdomain": "workers"}, backoffLimit=1, **INDEXED), ["podReplacementPolicy"]),
    ("no indexes", "JW210", job({"subdomain": "workers"}), []),
    # JW211 global-limit-with-per-index: ten indexes, of which nine may fail
    ("28 of 29", "JW211", job(backoffLimit=28, backoffLimitPerIndex=2, **INDEXED), ["backoffLimit"]),
    ("29 of 29", "JW211", job(backoffLimit=29, backoffLimitPerIndex=2, **INDEXED), []),
    ("three may fail, 22 of 23", "JW211", job(backoffLimit=22, backoffLimitPerIndex=2, maxFailedIndexes=3, **INDEXED), ["backoffLimit"]),
    ("three may fail, 23 of 23", "JW211", job(backoffLimit=23, backoffLimitPerIndex=2, maxFailedIndexes=3, **INDEXED), []),
    ("no failure is allowed either way", "JW211", job(backoffLimit=0, backoffLimitPerIndex=0, maxFailedIndexes=0, **INDEXED), []),
    ("only one limit", "JW211", job(backoffLimit=1, **INDEXED), []),
    ("the default is out of the way", "JW211", job(backoffLimitPerIndex=2, **INDEXED), []),
    # JW212 max-failed-indexes-noop
    ("all", "JW212", job(backoffLimitPerIndex=1, maxFailedIndexes=10, **INDEXED), ["maxFailedIndexes"]),
    ("all but one", "JW212", job(backoffLimitPerIndex=1, maxFailedIndexes=9, **INDEXED), []),
    # JW213 success-policy-noop
    ("all indexes", "JW213", success({"succeededIndexes": "0-9"}), ["successPolicy.rules[0]"]),
    ("all by number", "JW213", success({"succeededCount": 10}), ["successPolicy.rules[0]"]),
    ("all of all", "JW213", success({"succeededIndexes": "0-9", "succeededCount": 10}), ["successPolicy.rules[0]"]),
    ("nine of all", "JW213", success({"succeededIndexes": "0-9", "succeededCount": 9}), []),
    ("some", "JW213", success({"succeededIndexes": "0-8"}), []),
    ("more of the same", "JW213", success({"succeededIndexes": "0"}, {"succeededIndexes": "0,1"}), ["successPolicy.rules[1]"]),
    ("more of the same before", "JW213", success({"succeededIndexes": "0,1"}, {"succeededIndexes": "0"}), ["successPolicy.rules[0]"]),
    ("the same twice", "JW213", success({"succeededCount": 3}, {"succeededCount": 3}), ["successPolicy.rules[1]"]),
    ("a number that the indexes reach", "JW213", success({"succeededIndexes": "0-4"}, {"succeededCount": 5}), ["successPolicy.rules[0]"]),
    ("a number that they do not", "JW213", success({"succeededIndexes": "0-4"}, {"succeededCount": 6}), []),
    ("any success will do", "JW213", success({"succeededIndexes": "3"}, {"succeededCount": 0}), ["successPolicy.rules[0]"]),
    ("other indexes", "JW213", success({"succeededIndexes": "0"}, {"succeededIndexes": "1"}), []),
    ("a rule without indexes never matches", "JW213", success({"succeededIndexes": ""}), []),
    # JW214 blocking-sidecar
    ("a proxy", "JW214", using("train:1", "gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.14.1"), ["template.spec.containers[1]"]),
    ("by digest", "JW214", using("docker.io/istio/proxyv2@sha256:" + "0" * 64, "train:1"), ["template.spec.containers[0]"]),
    ("alone it is the work", "JW214", using("fluentd:v1.16"), []),
    ("a name that only begins so", "JW214", using("train:1", "envoy-tests:2"), []),
    ("processes are shared", "JW214", using("train:1", "envoy:v1.31", shareProcessNamespace=True), []),
    (
        "it is stopped by hand",
        "JW214",
        job({"containers": [{"name": "main", "image": "train:1", "command": ["sh", "-c", "run; wget --post-data= localhost:9091/quitquitquit"]}, {"name": "proxy", "image": "cloud-sql-proxy:2"}]}),
        [],
    ),
    ("a sidecar already", "JW214", job({"initContainers": [{"name": "proxy", "image": "envoy:v1.31", "restartPolicy": "Always"}]}), []),
    # JW215 grace-exceeds-deadline
    ("longer", "JW215", job({"terminationGracePeriodSeconds": 61}, activeDeadlineSeconds=60), ["template.spec.terminationGracePeriodSeconds"]),
    ("as long", "JW215", job({"terminationGracePeriodSeconds": 60}, activeDeadlineSeconds=60), []),
    ("the default is not written", "JW215", job(activeDeadlineSeconds=10), []),
    # JW216 exported-manifest
    ("a UID", "JW216", labelled(job(), uid="a-b"), ["metadata.uid"]),
    ("a generation", "JW216", labelled(job(), generation=2), ["metadata.generation"]),
    ("a link", "JW216", labelled(job(), selfLink="/apis"), ["metadata.selfLink"]),
    ("managed fields", "JW216", labelled(job(), managedFields=[{"manager": "a"}]), ["metadata.managedFields"]),
    ("a status", "JW216", {**job(), "status": {"active": 1}}, ["status"]),
    ("an empty status", "JW216", {**job(), "status": {}}, []),
    ("a timestamp of null, as kubectl create prints it", "JW216", labelled(job(), creationTimestamp=None), []),
    ("a version", "JW216", labelled(job(), resourceVersion="42"), ["metadata.resourceVersion"]),
    # JW218 completions-zero
    ("0", "JW218", job(completions=0), ["completions"]),
    ("1", "JW218", job(completions=1), []),
    ("workers on a queue", "JW218", job(parallelism=2), []),
    # JW219 suspended
    ("nobody starts it", "JW219", job(suspend=True), ["suspend"]),
    ("a queue does", "JW219", labelled(job(suspend=True), labels={"kueue.x-k8s.io/queue-name": "a"}), []),
    ("Kueue does", "JW219", labelled(job(suspend=True), labels={"kueue.x-k8s.io/priority-class": "a"}), []),
    ("JobSet does", "JW219", labelled(job(suspend=True), labels={"jobset.sigs.k8s.io/jobset-name": "a"}), []),
    ("Volcano starts no Job", "JW219", labelled(job(suspend=True), annotations={"scheduling.volcano.sh/queue-name": "a"}), ["suspend"]),
    ("a scheduler starts no Job", "JW235", labelled(job(suspend=True), labels={"yunikorn.apache.org/queue": "a"}), ["suspend"]),
    ("a scheduler starts no Job, on its Pods", "JW235", with_labels(job(suspend=True), **{"yunikorn.apache.org/queue": "a"}), ["suspend"]),
    ("Kueue starts it", "JW235", with_labels(labelled(job(suspend=True), labels={"kueue.x-k8s.io/queue-name": "a"}), **{"yunikorn.apache.org/queue": "a"}), []),
    ("the scheduler places it", "JW235", with_labels(job(), **{"yunikorn.apache.org/queue": "a"}), []),
    ("nobody is named", "JW235", job(suspend=True), []),
    ("YuniKorn starts no Job", "JW219", labelled(job(suspend=True), labels={"yunikorn.apache.org/queue": "a"}), ["suspend"]),
    ("any queue does", "JW219", labelled(job(suspend=True), labels={"example.com/queue": "a"}), []),
    ("another controller does", "JW219", job(suspend=True, managedBy="example.com/mine"), []),
    ("in a CronJob there is another rule", "JW219", cron_job(job(suspend=True)), []),
    ("not suspended", "JW219", job(suspend=False), []),
    # JW220 index-limit-with-on-failure
    ("restarts are not counted", "JW220", job(ON_FAILURE, backoffLimitPerIndex=1, **INDEXED), ["template.spec.restartPolicy"]),
    ("failures are", "JW220", job(backoffLimitPerIndex=1, **INDEXED), []),
    ("no limit per index", "JW220", job(ON_FAILURE, **INDEXED), []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "code", "manifest", "expected"),
    CASES,
    ids=[f"{code} {what}" for what, code, *_ in CASES],
)
def test_a_rule_reports_these_fields(
    what: str, code: str, manifest: dict[str, Any], expected: list[str]
) -> None:
    assert fields(code, manifest) == expected


@pytest.mark.parametrize("key", ["argocd.argoproj.io/instance", "kustomize.toolkit.fluxcd.io/name"])
def test_no_fix_adds_a_ttl_to_a_job_that_a_tool_would_create_again(key: str) -> None:
    (finding,) = found("JW204", labelled(job(), labels={key: "a"}))
    assert finding.fix is None
    assert "again" in finding.message


def test_the_deadline_moves_to_the_job() -> None:
    spec = after_fix("JW202", job({"activeDeadlineSeconds": 60}))["spec"]
    assert spec["activeDeadlineSeconds"] == 60
    assert "activeDeadlineSeconds" not in spec["template"]["spec"]


@pytest.mark.parametrize(("mode", "safe"), [("NonIndexed", True), ("Indexed", False)])
def test_of_an_elastic_job_it_is_not_known_which_number_was_meant(mode: str, safe: bool) -> None:
    (finding,) = found("JW207", job(parallelism=6, completions=5, completionMode=mode))
    assert finding.fix is not None
    assert finding.fix.safe == safe


@pytest.mark.parametrize(
    ("limit", "when"), [(0, "the first restart"), (1, "the first restart"), (3, "restart 3")]
)
def test_the_restart_that_fails_the_job_is_named(limit: int, when: str) -> None:
    (finding,) = found("JW206", job(ON_FAILURE, backoffLimit=limit))
    assert f": {when} fails the Job" in finding.message


def test_an_indexed_job_is_made_only_where_its_completions_are_known() -> None:
    shard = {"args": ["$(JOB_COMPLETION_INDEX)"]}
    assert after_fix("JW209", running(shard))["spec"]["completionMode"] == "Indexed"
    (finding,) = found("JW209", running(shard, parallelism=3))
    assert finding.fix is None


def test_redundant_rules_are_deleted_and_the_last_one_with_its_policy() -> None:
    assert "successPolicy" not in after_fix("JW213", success({"succeededCount": 10}))["spec"]
    both = success({"succeededIndexes": "0"}, {"succeededIndexes": "0,1"})
    assert after_fix("JW213", both)["spec"]["successPolicy"]["rules"] == [{"succeededIndexes": "0"}]


@pytest.mark.parametrize("others", [[], [{"name": "wait", "image": "busybox:1.36"}]])
def test_a_proxy_becomes_the_last_init_container(others: list[dict[str, Any]]) -> None:
    manifest = using("train:1", "envoy:v1.31", **({"initContainers": others} if others else {}))
    pod = after_fix("JW214", manifest)["spec"]["template"]["spec"]
    assert [container["name"] for container in pod["containers"]] == ["c0"]
    assert pod["initContainers"][-1] == {
        "name": "c1",
        "image": "envoy:v1.31",
        "restartPolicy": "Always",
    }
    (finding,) = found("JW214", manifest, "1.28")
    assert finding.fix is None


def test_many_completions_need_their_max_failed_indexes() -> None:
    many = {"completionMode": "Indexed", "completions": 100_001, "parallelism": 5}
    assert fields("JW212", job(backoffLimitPerIndex=1, maxFailedIndexes=10_000, **many)) == []
    (finding,) = found("JW212", job(backoffLimitPerIndex=1, maxFailedIndexes=100_001, **many))
    assert finding.fix is None


def test_an_exported_job_is_reported_in_three_parts() -> None:
    uid = "0b3c2f5e-7c1d-4a2e-9d7a-1f2e3d4c5b6a"
    manifest = job(selector={"matchLabels": {"batch.kubernetes.io/controller-uid": uid}})
    manifest["metadata"].update(
        uid=uid, resourceVersion="7", creationTimestamp="2025-11-03T08:00:00Z"
    )
    manifest["spec"]["template"]["metadata"] = {"labels": {"controller-uid": uid, "app": "x"}}
    manifest["status"] = {"succeeded": 1}
    findings = found("JW216", manifest)
    fixes = [finding.fix for finding in findings]
    assert [fix is not None and fix.safe for fix in fixes] == [False, True, False]
    from jobsworth.findings.edits import edited

    for fix in fixes:
        assert fix is not None
        manifest = edited(manifest, *fix.edits)
    assert found("JW216", manifest) == []
    assert manifest["metadata"] == {"name": "sample"}
    assert manifest["spec"] == {
        "template": {"metadata": {"labels": {"app": "x"}}, "spec": POD},
    }


index_sets = st.sets(st.integers(0, 7))


def as_text(indexes: set[int]) -> str:
    return ",".join(map(str, sorted(indexes)))


success_rules = st.fixed_dictionaries(
    {},
    optional={
        "succeededIndexes": index_sets.map(as_text),
        "succeededCount": st.integers(0, 8),
    },
).filter(bool)


def is_met(rule: dict[str, Any], succeeded: set[int]) -> bool:
    """Return True if a rule of a success policy is met, as the Job controller decides it."""
    text = rule.get("succeededIndexes")
    if not succeeded or text == "":
        return False
    if text is None:
        return len(succeeded) >= rule["succeededCount"]
    wanted = set(map(int, text.split(",")))
    both = len(wanted & succeeded)
    return both == len(wanted) or ("succeededCount" in rule and both >= rule["succeededCount"])


SUBSETS = [{index for index in range(8) if chosen >> index & 1} for chosen in range(256)]


@given(success_rules, success_rules)
def test_one_requirement_implies_another_when_it_does_for_every_set_of_indexes(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    first, second = required_indexes(one, 8), required_indexes(other, 8)
    met_by_first = [succeeded for succeeded in SUBSETS if is_met(one, succeeded)]
    assert bool(first.wanted) == bool(met_by_first)
    if first.wanted and second.wanted:
        assert second.follows_from(first) == all(is_met(other, some) for some in met_by_first)


@given(index_sets, index_sets)
def test_intervals_are_counted_as_sets_are(one: set[int], other: set[int]) -> None:
    rules = ({"succeededIndexes": as_text(indexes)} for indexes in (one, other))
    left, right = (required_indexes(rule, 8) for rule in rules)
    assert size(left.indexes) == len(one)
    assert shared(left.indexes, right.indexes) == len(one & other)


def test_a_requirement_implies_itself() -> None:
    some = RequiredIndexes([(2, 5)], 3)
    assert some.follows_from(some)


@pytest.mark.parametrize(
    "image",
    [
        "alloydb-auth-proxy",
        "aws-otel-collector",
        "cloud-sql-proxy",
        "cloudsql-proxy",
        "consul-dataplane",
        "daprd",
        "envoy",
        "filebeat",
        "fluent-bit",
        "fluentd",
        "gce-proxy",
        "jaeger-agent",
        "kube-rbac-proxy",
        "linkerd2-proxy",
        "oauth2-proxy",
        "opentelemetry-collector",
        "opentelemetry-collector-contrib",
        "opentelemetry-collector-k8s",
        "pgbouncer",
        "promtail",
        "proxyv2",
        "telegraf",
    ],
)
def test_the_images_of_well_known_sidecars_run_on(image: str) -> None:
    given = using("train:1", f"registry.example.com/{image}:1")
    assert fields("JW214", given) == ["template.spec.containers[1]"]


@pytest.mark.parametrize(
    "changed",
    [
        {"completions": None},
        {"completions": 0},
        {"completionMode": "NonIndexed"},
        {"completionMode": None},
    ],
)
def test_a_success_policy_of_a_job_that_cannot_have_one_is_left_to_the_api_server(
    changed: dict[str, Any],
) -> None:
    value = success({"succeededIndexes": "0-9"})
    assert fields("JW213", value) != []
    value["spec"] |= changed
    value["spec"] = {name: given for name, given in value["spec"].items() if given is not None}
    assert fields("JW213", value) == []


@pytest.mark.parametrize(
    ("release", "end"),
    [("1.30", "although the Job has failed"), ("1.31", "and the Job fails only then")],
)
def test_since_1_31_a_job_fails_when_its_pods_have_ended(release: str, end: str) -> None:
    value = job({"terminationGracePeriodSeconds": 61}, activeDeadlineSeconds=60)
    (finding,) = found("JW215", value, release)
    assert end in finding.message


def test_a_field_that_no_server_sets_any_more_is_ignored_too() -> None:
    (finding,) = found("JW216", labelled(job(), selfLink="/apis/batch/v1/namespaces/a/jobs/a"))
    assert finding.message == (
        "The API server ignores metadata.selfLink when it creates the object. Remove it."
    )


def test_the_version_of_a_stored_object_is_reported_with_what_fails() -> None:
    (finding,) = found("JW216", labelled(job(), resourceVersion="7"))
    assert finding.message == (
        "resourceVersion belongs to one object in a cluster: `kubectl create` fails with it, and "
        "`kubectl apply` fails once that object has changed. Remove it."
    )


@pytest.mark.parametrize(
    ("value", "fixable"),
    [
        (running({"args": ["$(JOB_COMPLETION_INDEX)"]}, completions=20), True),
        (
            running({"args": ["$(JOB_COMPLETION_INDEX)"]}, completions=20, parallelism=10**5 + 1),
            False,
        ),
        (
            labelled(running({"args": ["$(JOB_COMPLETION_INDEX)"]}, completions=20), name="x" * 60),
            True,
        ),
        (
            labelled(running({"args": ["$(JOB_COMPLETION_INDEX)"]}, completions=20), name="x" * 61),
            False,
        ),
    ],
)
def test_a_job_that_would_be_rejected_with_indexes_is_not_made_indexed(
    value: dict[str, Any], fixable: bool
) -> None:
    (finding,) = found("JW209", value)
    assert (finding.fix is not None) is fixable


@pytest.mark.parametrize(
    ("policy", "fixable"), [("NotRequired", True), ("RestartContainer", False)]
)
def test_containers_that_restart_when_they_are_resized_keep_their_restart_policy(
    policy: str, fixable: bool
) -> None:
    resized = {
        **POD["containers"][0],
        "resizePolicy": [{"resourceName": "cpu", "restartPolicy": policy}],
    }  # type: ignore[dict-item]
    value = job({"containers": [resized], **ON_FAILURE}, backoffLimitPerIndex=1, **INDEXED)
    (finding,) = found("JW220", value)
    assert (finding.fix is not None) is fixable


def test_a_volume_without_a_name_is_no_identity() -> None:
    claim = {key: part for key, part in CLAIM.items() if key != "name"}
    pod = {"volumes": [claim], "containers": [{**POD["containers"][0], "volumeMounts": [{}]}]}  # type: ignore[dict-item]
    assert found("JW231", job(pod)) == []


@pytest.mark.parametrize(("ttl", "when"), [(0, "immediately"), (30, "30 s")])
def test_a_short_time_to_live_says_when_the_job_is_gone(ttl: int, when: str) -> None:
    (finding,) = found("JW205", job(ttlSecondsAfterFinished=ttl))
    assert when in finding.message


@pytest.mark.parametrize("part", ["labels", "annotations"])
@pytest.mark.parametrize(
    ("key", "tool"),
    [
        ("argocd.argoproj.io/instance", "Argo CD"),
        ("kustomize.toolkit.fluxcd.io/name", "Flux"),
        ("helm.toolkit.fluxcd.io/name", "Flux"),
    ],
)
def test_a_ttl_is_no_advice_where_a_tool_creates_the_job_again(
    part: str, key: str, tool: str
) -> None:
    (finding,) = found("JW204", labelled(job(), **{part: {key: "a"}}))
    assert f"{tool} would create a Job that a TTL deletes again" in finding.message
    assert finding.fix is None
    (other,) = found("JW204", labelled(job(), **{part: {"example.com/a": "a"}}))
    assert other.fix is not None


@pytest.mark.parametrize(
    ("release", "fix", "advice"),
    [
        (
            "1.32",
            "Set backoffLimit: 29, which the limits per index cannot reach",
            "Set backoffLimit",
        ),
        ("1.33", "Remove backoffLimit: the limits per index apply", "Remove backoffLimit"),
    ],
)
def test_both_limits_are_for_a_downgrade_until_the_gate_is_locked(
    release: str, fix: str, advice: str
) -> None:
    """Source: KEP-3850, Downgrade: without backoffLimit, Pods would then be retried without limit."""
    value = job(backoffLimit=6, backoffLimitPerIndex=2, **INDEXED)
    (finding,) = found("JW211", value, release)
    assert finding.fix is not None
    assert finding.fix.title == fix
    assert f"29 failures. {advice}" in finding.message
    assert found("JW211", job(backoffLimit=29, backoffLimitPerIndex=2, **INDEXED), release) == []
