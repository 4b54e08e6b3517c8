"""Rules about what the containers of a Pod run, and what the parts of a Pod call each other."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from support.lint.linted_jobs import after_fix, cron_job, fields, found, job

MAIN = "template.spec.containers[0]"
CURL = "https://api.example.com"


def container(**parts: Any) -> dict[str, Any]:
    return job({"containers": [{"name": "main", "image": "tool:1", **parts}]})


def shell(script: str, **spec: Any) -> dict[str, Any]:
    value = container(command=["sh", "-c", script])
    value["spec"].update(spec)
    return value


@pytest.mark.parametrize(
    ("parts", "field"),
    [
        ({"command": ["curl", CURL]}, "command[0]"),
        ({"command": ["/usr/bin/curl"], "args": ["-sSL", "-o", "f", CURL]}, "command[0]"),
        ({"args": ["curl", "-X", "POST", CURL]}, "args[0]"),
        ({"image": "curlimages/curl:8.11", "args": ["-s", CURL]}, "args[0]"),
        ({"command": ["sh", "-c", f"sleep 5; curl {CURL}"]}, "command[2]"),
        ({"command": ["sh", "-c", f"work | curl --data-binary @- {CURL}"]}, "command[2]"),
        ({"command": ["sh", "-c", f"curl -o fail {CURL}"]}, "command[2]"),
        ({"command": ["sh", "-c", f"apk add curl && TOKEN=$(cat t) && curl {CURL}"]}, "command[2]"),
        ({"command": ["sh", "-c", f"dump --all | gzip | curl -T - {CURL}"]}, "command[2]"),
        (
            {"command": ["sh", "-c", f"set -e; curl -so /d/a.new {CURL}; mv /d/a.new /d/a"]},
            "command[2]",
        ),
        (
            {"command": ["sh", "-c", f"curl -s {CURL} > /tmp/a && aws s3 cp /tmp/a s3://b/a"]},
            "command[2]",
        ),
    ],
)
def test_a_request_that_is_the_work_must_fail_on_errors(parts: dict[str, Any], field: str) -> None:
    assert fields("JW225", container(**parts)) == [f"{MAIN}.{field}"]
    assert fields("JW225", cron_job(container(**parts))) == [f"{MAIN}.{field}"]


@pytest.mark.parametrize(
    "parts",
    [
        {"command": ["curl", "--fail", CURL]},
        {"command": ["curl", "--fail-with-body", CURL]},
        {"command": ["curl", "-fsSL", CURL]},
        {"command": ["curl", "-sSf", CURL]},
        {"command": ["curl", "--version"]},
        {"command": ["curl", "ftp://example.com/a"]},
        {"command": ["curl", "file:///etc/hostname"]},
        {"command": ["curl", "telnet://example.com"]},
        {"command": ["curl", "smtp://example.com"]},
        {"command": ["wget", CURL]},
        {"image": "curlimages/curl:8.11"},
        {"image": "curlimages/curl:8.11", "args": ["sh", "run.sh"]},
        {"command": ["sh", "-c", f"curl {CURL} | grep ok"]},
        {"command": ["sh", "-c", f"work && curl {CURL}"]},
        {"command": ["sh", "-c", f"set -e\npython run.py\ncurl -m 10 {CURL}"]},
        {"command": ["bash", "-c", f"for f in *; do load $f; done; curl {CURL}"]},
        {"command": ["sh", "-c", "curl -X POST http://127.0.0.1:15020/quitquitquit"]},
        {"command": ["sh", "-c", f"code=$(curl {CURL}); test $code = 200"]},
        {"command": ["sh", "-c", f"curl {CURL} || exit 1; work"]},
        {"command": ["sh", "-c", f"until curl {CURL}; do sleep 1; done"]},
        {"command": ["sh", "-c", f"curl {CURL} &"]},
        {"command": ["sh", "-c", f"curl -sfo /d/a.new {CURL} && mv /d/a.new /d/a"]},
        {
            "command": [
                "sh",
                "-c",
                f"curl -so /d/a.new {CURL}; jq -e . /d/a.new && mv /d/a.new /d/a",
            ]
        },
        {"command": ["sh", "-c", f"curl -so k {CURL}; mv k /usr/local/bin/k; k get jobs"]},
        {"command": ["sh", "-c", f"curl -so a {CURL}; aws s3 cp b s3://c/d; work"]},
        {
            "command": [
                "sh",
                "-c",
                f"curl -so /d/a -w '%{{http_code}}' {CURL} | grep 200; cp /d/a /e/a",
            ]
        },
    ],
)
def test_other_requests_are_left_alone(parts: dict[str, Any]) -> None:
    assert fields("JW225", container(**parts)) == []


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (container(command=["sleep", "infinity"]), "command[0]"),
        (container(command=["/bin/sleep"], args=["inf"]), "command[0]"),
        (container(args=["tail", "-f", "/dev/null"]), "args[0]"),
        (container(command=["mc", "mirror", "--watch", "a/b", "c/d"]), "command[0]"),
        (shell("set -e; kubectl get pods -w"), "command[2]"),
        (shell("service ssh start; sleep infinity"), "command[2]"),
    ],
)
def test_a_container_that_never_exits_needs_a_deadline(value: dict[str, Any], field: str) -> None:
    assert fields("JW226", value) == [f"{MAIN}.{field}"]
    for place in (value["spec"], value["spec"]["template"]["spec"]):
        limited = copy.deepcopy(value)
        target = limited["spec"] if place is value["spec"] else limited["spec"]["template"]["spec"]
        target["activeDeadlineSeconds"] = 60
        assert fields("JW226", limited) == []


@pytest.mark.parametrize(
    "value",
    [
        container(command=["sleep", "3600"]),
        container(command=["tail", "-f", "/var/log/a"]),
        container(command=["mc", "mirror", "a/b", "c/d"]),
        container(command=["kubectl", "get", "pods", "-w", "--request-timeout=60s"]),
        shell("timeout 60 kubectl get pods -w"),
        shell("sleep infinity & work"),
        shell("if debug; then sleep infinity; fi; work"),
        shell("sleep infinity", successPolicy={"rules": [{"succeededCount": 1}]}),
        job({"initContainers": [{"name": "a", "image": "b:1", "command": ["sleep", "infinity"], "restartPolicy": "Always"}]}),
    ],
)  # fmt: skip
def test_a_container_that_ends_needs_none(value: dict[str, Any]) -> None:
    assert fields("JW226", value) == []


def annotated(value: dict[str, Any], key: str, place: str = "metadata") -> dict[str, Any]:
    holder = value
    for step in place.split("."):
        holder = holder.setdefault(step, {})
    holder.setdefault("annotations", {})[key] = "true"
    return value


SAFE = "cluster-autoscaler.kubernetes.io/safe-to-evict"
ON_PODS = "spec.template.metadata"


def test_an_annotation_of_pods_moves_to_the_template() -> None:
    value = annotated(job(), SAFE)
    assert fields("JW227", value) == [f"metadata.annotations[{SAFE}]"]
    fixed = after_fix("JW227", value)
    assert fixed["spec"]["template"]["metadata"]["annotations"] == {SAFE: "true"}
    assert fields("JW227", fixed) == []


def test_no_empty_mapping_stays_where_an_annotation_or_label_was() -> None:
    alone = annotated(job(), SAFE)
    assert "annotations" not in after_fix("JW227", alone)["metadata"]
    assert "annotations" in after_fix("JW227", annotated(alone, "example.com/team"))["metadata"]
    beside = annotated(annotated(job(), SAFE), "example.com/team", ON_PODS)
    assert "annotations" not in after_fix("JW227", beside)["metadata"]


@pytest.mark.parametrize("place", ["metadata", "spec.jobTemplate.metadata"])
def test_both_objects_of_a_cron_job_can_have_it_by_mistake(place: str) -> None:
    value = annotated(cron_job(job()), "karpenter.sh/do-not-disrupt", place)
    (finding,) = found("JW227", value)
    assert finding.field == f"{place}.annotations[karpenter.sh/do-not-disrupt]"
    fixed = after_fix("JW227", value)
    assert fixed["spec"]["jobTemplate"]["spec"]["template"]["metadata"]["annotations"] == {
        "karpenter.sh/do-not-disrupt": "true"
    }


def test_an_annotation_in_both_places_or_of_another_tool_stays() -> None:
    assert fields("JW227", annotated(annotated(job(), SAFE), SAFE, ON_PODS)) == []
    assert fields("JW227", annotated(job(), "kueue.x-k8s.io/queue-name")) == []


@pytest.mark.parametrize("ttl", [60, 100, 3599])
def test_a_hook_of_argo_cd_has_no_short_ttl(ttl: int) -> None:
    value = annotated(job(ttlSecondsAfterFinished=ttl), "argocd.argoproj.io/hook")
    assert fields("JW228", value) == ["ttlSecondsAfterFinished"]
    assert after_fix("JW228", value)["spec"]["ttlSecondsAfterFinished"] == 3600
    (finding,) = found("JW228", value)
    assert finding.severity == "info"  # from 3.0 on, Argo CD holds its hooks with a finalizer
    assert "before 3.0" in finding.message


@pytest.mark.parametrize(
    ("events", "reported"),
    [("pre-install,pre-upgrade", True), ("post-install", True), ("test", False), ("true", False)],
)
def test_argo_cd_runs_the_hooks_of_a_chart_too(events: str, reported: bool) -> None:
    value = job(ttlSecondsAfterFinished=300)
    value["metadata"]["annotations"] = {"helm.sh/hook": events}
    assert fields("JW228", value) == (["ttlSecondsAfterFinished"] if reported else [])


@pytest.mark.parametrize(
    "value",
    [
        annotated(job(ttlSecondsAfterFinished=59), "argocd.argoproj.io/hook"),
        annotated(job(ttlSecondsAfterFinished=3600), "argocd.argoproj.io/hook"),
        annotated(job(), "argocd.argoproj.io/hook"),
        annotated(job(ttlSecondsAfterFinished=100), "helm.sh/hook"),
        job(ttlSecondsAfterFinished=100),
    ],
)
def test_other_ttls_do_not_race_with_a_hook(value: dict[str, Any]) -> None:
    assert fields("JW228", value) == []


def with_init(**parts: Any) -> dict[str, Any]:
    return job({"initContainers": [{"name": "init", "image": "fluent-bit:3.2", **parts}]})


@pytest.mark.parametrize(
    ("parts", "reported"),
    [
        ({}, True),
        ({"image": "gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.14", "args": ["a:b:c"]}, True),
        ({"image": "istio/proxyv2:1.26", "args": ["proxy", "sidecar"]}, True),
        ({"image": "istio/proxyv2:1.26", "args": ["istio-iptables", "-p", "15001"]}, False),
        ({"restartPolicy": "Always"}, False),
        ({"command": ["cp", "a", "b"]}, False),
        ({"image": "busybox:1.36"}, False),
        ({"command": ["/cloud-sql-proxy", "--port=5432", "a:b:c"]}, True),
        ({"image": "tools:1", "command": ["sh", "-c", "/cloud_sql_proxy -instances=a:b:c"]}, True),
        ({"image": "tools:1", "args": ["/usr/local/bin/envoy", "-c", "/etc/envoy.yaml"]}, True),
        ({"image": "tools:1", "command": ["tini", "--", "fluent-bit", "-c", "/etc/f.conf"]}, True),
        ({"image": "tools:1", "command": ["tail", "-f", "/dev/null"]}, True),
        ({"image": "tools:1", "command": ["sh", "-c", "prepare && sleep infinity"]}, True),
        ({"image": "otel/opentelemetry-collector-contrib:0.130", "command": ["/otelcol-contrib"]}, True),
        ({"image": "git-sync/git-sync:v4.4", "args": ["--repo=https://example.com/a"]}, True),
        ({"image": "git-sync/git-sync:v4.4", "args": ["--one-time"]}, False),
        ({"image": "git-sync/git-sync:v4.4", "env": [{"name": "GITSYNC_ONE_TIME", "value": "true"}]}, False),
        ({"image": "vault:1.20", "args": ["agent", "-exit-after-auth"]}, False),
        ({"image": "vault:1.20", "args": ["agent", "-config=/etc/vault/agent.hcl"]}, False),
        ({"image": "vault:1.20", "args": ["agent", "-address=http://vault:8200"]}, True),
        ({"image": "vault:1.20", "args": ["kv", "get", "a"]}, False),
        ({"image": "hashicorp/consul-template:0.41", "args": ["-template", "/in:/out"]}, True),
        ({"image": "hashicorp/consul-template:0.41", "args": ["-once", "-template", "/in:/out"]}, False),
        ({"image": "hashicorp/consul-template:0.41", "args": ["-config=/etc/t.hcl"]}, False),
        ({"image": "tools:1", "command": ["consul-template", "-exec", "migrate"]}, False),
        ({"image": "tools:1", "command": ["timeout", "60", "cloud-sql-proxy", "a:b:c"]}, False),
        ({"image": "tools:1", "command": ["sh", "-c", "timeout 60 cloud-sql-proxy a:b:c"]}, False),
        ({"image": "tools:1", "command": ["sh", "-c", "cloud-sql-proxy a:b:c & migrate"]}, False),
        ({"image": "tools:1", "command": ["sh", "-c", "if cloud-sql-proxy a; then migrate; fi"]}, False),
        ({"image": "tools:1", "command": ["cloud-sql-proxy", "--version"]}, False),
        ({"image": "envoy:1.31", "command": ["envoy", "--mode", "validate"]}, False),
    ],
)  # fmt: skip
def test_an_agent_that_never_exits_blocks_the_pod_as_an_init_container(
    parts: dict[str, Any], reported: bool
) -> None:
    at = "template.spec.initContainers[0]"
    assert fields("JW229", with_init(**parts)) == ([at] if reported else [])


def test_the_agent_becomes_a_sidecar_where_there_are_some() -> None:
    fixed = after_fix("JW229", with_init())
    assert fixed["spec"]["template"]["spec"]["initContainers"][0]["restartPolicy"] == "Always"
    (finding,) = found("JW229", with_init(), "1.28")
    assert finding.fix is None
    (finding,) = found("JW229", with_init(command=["sleep", "infinity"]))
    assert finding.fix is None


@pytest.mark.parametrize(
    ("parts", "fixed"),
    [
        ({"image": "git-sync/git-sync:v4.4", "args": ["--repo=a"]}, {"args": ["--repo=a", "--one-time"]}),
        ({"image": "git-sync/git-sync:v4.4"}, {"args": ["--one-time"]}),
        ({"command": ["/bin/vault", "agent"]}, {"command": ["/bin/vault", "agent", "-exit-after-auth"]}),
        ({"command": ["consul-template"], "args": ["-template", "a:b"]}, {"args": ["-template", "a:b", "-once"]}),
    ],
)  # fmt: skip
def test_an_agent_that_can_prepare_its_files_once_does_not_become_a_sidecar(
    parts: dict[str, Any], fixed: dict[str, Any]
) -> None:
    """A sidecar would let the main container start before the files are there."""
    container = after_fix("JW229", with_init(**parts))["spec"]["template"]["spec"][
        "initContainers"
    ][0]
    assert {key: container[key] for key in fixed} == fixed
    assert "restartPolicy" not in container


def test_an_agent_in_a_script_gets_the_advice_without_a_fix() -> None:
    (finding,) = found("JW229", with_init(command=["sh", "-c", "git-sync --repo=a"]))
    assert "Add --one-time" in finding.message
    assert finding.fix is None


@pytest.mark.parametrize(
    ("command", "reported"),
    [
        (["sh", "-c", "cloud_sql_proxy -instances=a:b:c=tcp:5432"], True),
        (["/bin/vault", "agent", "-config=/etc/vault.hcl"], True),
        (["sh", "-c", "until migrate; do sleep 5; done"], False),
        (["cp", "a", "b"], False),
    ],
)
def test_an_agent_beside_the_work_is_known_by_its_command(
    command: list[str], reported: bool
) -> None:
    beside = {"name": "beside", "image": "tools:1", "command": command}
    value = job({"containers": [{"name": "main", "image": "a:1"}, beside]})
    assert fields("JW214", value) == (["template.spec.containers[1]"] if reported else [])


@pytest.mark.parametrize("part", ["annotations", "labels"])
def test_an_injected_sidecar_becomes_one_that_ends(part: str) -> None:
    value = job()
    value["spec"]["template"]["metadata"] = {part: {"sidecar.istio.io/inject": "true"}}
    fixed = after_fix("JW230", value)
    native = fixed["spec"]["template"]["metadata"]["annotations"]["sidecar.istio.io/nativeSidecar"]
    assert native == "true"
    assert fields("JW230", fixed) == []


@pytest.mark.parametrize(
    ("metadata", "pod", "reported"),
    [
        ({"annotations": {"sidecar.istio.io/inject": "true"}}, {}, True),
        ({"labels": {"sidecar.istio.io/inject": "true"}}, {}, True),
        ({"annotations": {"linkerd.io/inject": "enabled"}}, {}, True),
        ({"annotations": {"dapr.io/enabled": "true"}}, {}, True),
        ({"annotations": {"consul.hashicorp.com/connect-inject": "true"}}, {}, True),
        ({"labels": {"kuma.io/sidecar-injection": "enabled"}}, {}, True),
        ({"labels": {"istio.io/rev": "1-26"}}, {}, True),
        ({"labels": {"istio.io/rev": "1-26", "sidecar.istio.io/inject": "true"}}, {}, True),
        ({"labels": {"istio.io/rev": "1-26", "sidecar.istio.io/inject": "false"}}, {}, False),
        ({"labels": {"istio.io/rev": ""}}, {}, False),
        ({"labels": {"azure.workload.identity/use": "true"}, "annotations": {"azure.workload.identity/inject-proxy-sidecar": "true"}}, {}, True),
        ({"annotations": {"sidecar.istio.io/inject": "false"}}, {}, False),
        ({"annotations": {"consul.hashicorp.com/connect-inject": "true"}}, {"containers": [{"name": "main", "image": "a:1", "command": ["sh", "-c", "work; curl -X POST localhost:20600/graceful_shutdown"]}]}, False),
        ({"annotations": {"sidecar.istio.io/inject": "true"}}, {"containers": [{"name": "main", "image": "a:1", "command": ["scuttle", "work"]}]}, False),
        ({"labels": {"sidecar.istio.io/inject": "true"}, "annotations": {"sidecar.istio.io/nativeSidecar": "true"}}, {}, False),
        ({"annotations": {"vault.hashicorp.com/agent-inject": "true", "vault.hashicorp.com/agent-pre-populate-only": "true"}}, {}, False),
        ({"annotations": {"sidecar.istio.io/inject": "true"}}, {"containers": [{"name": "main", "image": "a:1", "command": ["sh", "-c", "work; curl -X POST localhost:15020/quitquitquit"]}]}, False),
    ],
)  # fmt: skip
def test_an_injected_sidecar_is_reported_unless_it_ends(
    metadata: dict[str, Any], pod: dict[str, Any], reported: bool
) -> None:
    value = job(pod)
    value["spec"]["template"]["metadata"] = metadata
    assert len(fields("JW230", value)) == reported
    assert len(fields("JW230", cron_job(value))) == reported


CLAIM = {
    "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
    "containers": [{"name": "main", "image": "a:1", "volumeMounts": [{"name": "data", "mountPath": "/d"}]}],
}  # fmt: skip
MIGRATION = {"containers": [{"name": "main", "image": "a:1", "args": ["manage.py", "migrate"]}]}


TERRAFORM = {"containers": [{"name": "main", "image": "a:1", "command": ["terraform", "apply"]}]}
SCRIPT = {
    "containers": [
        {"name": "main", "image": "a:1", "command": ["sh", "-c", "cd /app && rails db:migrate"]}
    ]
}
LEADER = {
    "containers": [
        {"name": "main", "image": "a:1", "args": ["serve", "--leader-file=/shared/leader"]}
    ]
}


@pytest.mark.parametrize("pod", [CLAIM, MIGRATION, TERRAFORM, SCRIPT, LEADER])
def test_a_writer_with_a_long_grace_period_waits_for_its_predecessor(pod: dict[str, Any]) -> None:
    slow = {**pod, "terminationGracePeriodSeconds": 31}
    for value in (
        job(slow),
        job(slow, podReplacementPolicy="TerminatingOrFailed"),
        job(slow, parallelism=1),
    ):
        assert fields("JW233", value) == ["podReplacementPolicy"]
        assert fields("JW231", value) == []
        assert fields("JW233", after_fix("JW233", value)) == []
    (finding,) = found("JW233", job(slow))
    assert "for up to 31 s" in finding.message


@pytest.mark.parametrize(
    "value",
    [
        job({**CLAIM, "terminationGracePeriodSeconds": 30}),
        job({"terminationGracePeriodSeconds": 600}),
        job({**CLAIM, "terminationGracePeriodSeconds": 600}, podReplacementPolicy="Failed"),
        job({**CLAIM, "terminationGracePeriodSeconds": 600}, backoffLimit=0),
        job({**CLAIM, "terminationGracePeriodSeconds": 600}, parallelism=2, completions=2),
    ],
)
def test_writers_that_overlap_shortly_or_never_are_no_warning(value: dict[str, Any]) -> None:
    assert fields("JW233", value) == []


@pytest.mark.parametrize("pod", [CLAIM, MIGRATION, TERRAFORM, SCRIPT, LEADER])
def test_the_only_writer_waits_for_its_predecessor(pod: dict[str, Any]) -> None:
    assert fields("JW231", job(pod)) == ["podReplacementPolicy"]
    assert after_fix("JW231", job(pod))["spec"]["podReplacementPolicy"] == "Failed"


@pytest.mark.parametrize(
    "value",
    [
        job(),
        job(CLAIM, podReplacementPolicy="Failed"),
        job(CLAIM, podReplacementPolicy="TerminatingOrFailed"),
        job(CLAIM, backoffLimit=0),
        job(CLAIM, parallelism=2, completions=2),
        job({"subdomain": "a"}),
    ],
)
def test_others_may_overlap(value: dict[str, Any]) -> None:
    assert fields("JW231", value) == []


INDEXED = {"completionMode": "Indexed", "completions": 8}


@pytest.mark.parametrize(
    ("parts", "field"),
    [
        ({"args": ["--num-shards=16"]}, "args[0]"),
        ({"args": ["--shard-count", "016"]}, "args[0]"),
        ({"command": ["torchrun", "--nnodes", "4"]}, "command[1]"),
        ({"command": ["sh", "-c", "work --total-shards=9"]}, "command[2]"),
        ({"env": [{"name": "NUM_TASKS", "value": "7"}]}, "env[0].value"),
        ({"args": ["--shards=10"]}, "args[0]"),
        ({"args": ["--shard", "$(I)/10"]}, "args[0]"),
        ({"args": ["--shard=3/10"]}, "args[0]"),
        ({"args": ["--splits", "10"]}, "args[0]"),
        ({"command": ["run", "--workers-total=4", "$(JOB_COMPLETION_INDEX)"]}, "command[1]"),
        ({"command": ["sh", "-c", "run --partition-count 4 $JOB_COMPLETION_INDEX"]}, "command[2]"),
        ({"command": ["sh", "-c", "RANK=$JOB_COMPLETION_INDEX run"], "env": [{"name": "WORLD_SIZE", "value": "12"}]}, "env[0].value"),
    ],
)  # fmt: skip
def test_the_number_of_shards_is_that_of_completions(parts: dict[str, Any], field: str) -> None:
    value = container(**parts)
    assert fields("JW232", value) == []
    value["spec"].update(INDEXED)
    assert fields("JW232", value) == [f"{MAIN}.{field}"]


@pytest.mark.parametrize(
    "parts",
    [
        {"args": ["--num-shards=8"]},
        {"args": ["--num-shards", "08"]},
        {"args": ["--nnodes=1:8"]},
        {"args": ["--num-shards"]},
        {"args": ["--shard=3"]},
        {"env": [{"name": "NUM_SHARDS", "value": "$(N)"}]},
        {"args": ["--shard=3/8"]},
        {"args": ["--shard=/data/10"]},
        {"args": ["--max-shards=10"]},
        {"args": ["--num-workers=4"]},
        {"args": ["--workers=4", "$(JOB_COMPLETION_INDEX)"]},
        {"args": ["$(JOB_COMPLETION_INDEX)"], "env": [{"name": "WORLD_SIZE", "value": "16"}]},
    ],
)
def test_another_number_is_none_of_shards(parts: dict[str, Any]) -> None:
    value = container(**parts)
    value["spec"].update({**INDEXED, "parallelism": 8})
    assert fields("JW232", value) == []


@pytest.mark.parametrize(("parallelism", "reported"), [(8, False), (4, True), (0, False)])
def test_pods_that_wait_for_each_other_run_at_the_same_time(
    parallelism: int, reported: bool
) -> None:
    value = container(command=["torchrun", "--nnodes=8", "train.py"])
    value["spec"].update({**INDEXED, "parallelism": parallelism})
    assert fields("JW232", value) == (["parallelism"] if reported else [])
    alone = container(args=["--num-shards=8"])
    alone["spec"].update({**INDEXED, "parallelism": parallelism})
    assert fields("JW232", alone) == []


ENV = [{"name": "A", "value": "1"}]


@pytest.mark.parametrize(
    ("parts", "field"),
    [
        ({"env": ENV, "args": ["--x=$(B)"]}, "args[0]"),
        ({"env": ENV, "command": ["run", "$(a)"]}, "command[1]"),
        (
            {"env": [{"name": "URL", "value": "$(B)/x"}, {"name": "B", "value": "1"}]},
            "env[0].value",
        ),
        ({"env": ENV, "command": ["sh", "-c", "echo $(B)"]}, "command[2]"),
        ({"env": ENV, "args": ["$$$(B)"]}, "args[0]"),
    ],
)
def test_a_variable_is_set_before_it_is_used(parts: dict[str, Any], field: str) -> None:
    assert fields("JW506", container(**parts)) == [f"{MAIN}.{field}"]


@pytest.mark.parametrize(
    "parts",
    [
        {"env": ENV, "args": ["--x=$(A)"]},
        {"env": ENV, "args": ["$$(B) $(date +%s) ${B} $B $("]},
        {"env": ENV, "command": ["sh", "-c", "echo $(date)"]},
        {"env": ENV, "command": ["sh", "-c", "set -e\n  # no $(VAR) here\necho $A"]},
        {"env": ENV, "args": ["$(REDIS_SERVICE_HOST):$(REDIS_SERVICE_PORT) $(REDIS_PORT)"]},
        {"env": ENV, "args": ["$(JOB_COMPLETION_INDEX)"]},
        {"env": ENV, "envFrom": [{"configMapRef": {"name": "a"}}], "args": ["$(B)"]},
        {"args": ["$(B)"]},
        {"env": [*ENV, {"name": "B", "value": "$(A)"}], "args": ["$(B)"]},
    ],
)
def test_other_texts_are_no_reference_to_a_missing_variable(parts: dict[str, Any]) -> None:
    assert fields("JW506", container(**parts)) == []


def test_a_volume_that_nothing_mounts_is_reported() -> None:
    data: dict[str, Any] = {"name": "data", "emptyDir": {}}
    raw = {"name": "raw", "persistentVolumeClaim": {"claimName": "a"}}
    cache = {"name": "gke-gcsfuse-cache", "emptyDir": {}}
    main = {
        "name": "main",
        "image": "a:1",
        "volumeDevices": [{"name": "raw", "devicePath": "/dev/a"}],
    }
    pod = {"volumes": [raw, data, cache], "containers": [main]}
    assert fields("JW507", job(pod)) == ["template.spec.volumes[1]"]
    init = {"name": "init", "image": "a:1", "volumeMounts": [{"name": "data", "mountPath": "/d"}]}
    assert fields("JW507", job({**pod, "initContainers": [init]})) == []
    assert fields("JW507", job()) == []
