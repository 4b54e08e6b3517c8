"""The limits of the rules for harm that users report: amounts, secrets, waits, repeated work, Pods that cannot work."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.lint.container_start import option_values
from support.lint.linted_jobs import after_fix, cron_job, fields, found, job

MAIN = "template.spec.containers[0]"


def main(**parts: Any) -> dict[str, Any]:
    return {"containers": [{"name": "main", "image": "tool:1", **parts}]}


def script(text: str, **parts: Any) -> dict[str, Any]:
    return main(command=["sh", "-c", text], **parts)


def variable(name: str, value: str) -> dict[str, Any]:
    return {"env": [{"name": name, "value": value}]}


def limited(**limits: Any) -> dict[str, Any]:
    return {
        "resources": {"limits": {name.replace("_", "-"): value for name, value in limits.items()}}
    }


def both(pod: dict[str, Any], **spec: Any) -> list[dict[str, Any]]:
    return [job(pod, **spec), cron_job(job(pod, **spec))]


@pytest.mark.parametrize(
    ("parts", "reported"),
    [
        ({"command": ["java", "-Xmx1g"]}, True),
        ({"command": ["java", "-Xmx1024m"]}, True),
        ({"command": ["java", "-Xmx1023m"]}, False),
        ({"command": ["java", "-Xmx4g", "-Xmx512m"]}, True),  # the words are compared one by one
        ({"command": ["sh", "-c", "java -Xmx4g -Xmx512m -jar a"]}, False),
        ({"command": ["java", "-Xms2g", "-Xmxfoo"]}, False),
        (variable("JAVA_OPTS", "-Xss1m -Xmx2G"), True),
        (variable("OTHER", "-Xmx2G"), False),
        (variable("NODE_OPTIONS", "--max-old-space-size=2048"), True),
        (variable("NODE_OPTIONS", "--max-old-space-size=800"), False),
        (variable("GOMEMLIMIT", "1GiB"), True),
        (variable("GOMEMLIMIT", "900MiB"), False),
        (variable("GOMEMLIMIT", "off"), False),
    ],
)
def test_a_heap_below_the_limit_is_not_reported(parts: dict[str, Any], reported: bool) -> None:
    for value in both(main(**{**parts, **limited(memory="1Gi")})):
        assert bool(fields("JW510", value)) is reported
    assert fields("JW510", job(main(**parts))) == []


def test_a_volume_in_memory_is_compared_with_the_containers_that_mount_it() -> None:
    volume = {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "2Gi"}}
    mounts = [{"name": "shm", "mountPath": "/dev/shm"}]
    small = main(volumeMounts=mounts, **limited(memory="1Gi"))
    assert fields("JW511", job({**small, "volumes": [volume]})) == [
        "template.spec.volumes[0].emptyDir.sizeLimit"
    ]
    for other in (
        main(volumeMounts=mounts, **limited(memory="2Gi")),
        main(volumeMounts=mounts),
        main(**limited(memory="1Gi")),
    ):
        assert fields("JW511", job({**other, "volumes": [volume]})) == []
    unbounded = {"name": "shm", "emptyDir": {"medium": "Memory"}}
    assert fields("JW511", job({**small, "volumes": [unbounded]})) == []


def test_ephemeral_storage_is_that_of_all_containers_together() -> None:
    volume = {"name": "scratch", "emptyDir": {"sizeLimit": "3Gi"}}
    one = {"name": "a", "image": "a:1", **limited(ephemeral_storage="2Gi")}
    two = [one, {**one, "name": "b"}]
    assert len(fields("JW512", job({"containers": [one], "volumes": [volume]}))) == 1
    assert fields("JW512", job({"containers": two, "volumes": [volume]})) == []
    assert (
        fields(
            "JW512", job({"containers": [one, {"name": "b", "image": "b:1"}], "volumes": [volume]})
        )
        == []
    )


@pytest.mark.parametrize(
    ("parts", "reported"),
    [
        ({"command": ["torchrun", "--nproc_per_node=4", "a.py"]}, True),
        ({"command": ["torchrun", "--nproc-per-node", "4", "a.py"]}, True),
        ({"command": ["torchrun", "--nproc-per-node", "2", "a.py"]}, False),
        ({"command": ["torchrun", "--nproc-per-node", "auto", "a.py"]}, False),
        ({"command": ["sh", "-ec", "cd /src; torchrun --nproc-per-node=$N a.py"]}, False),
        (variable("CUDA_VISIBLE_DEVICES", "0,1"), False),
        (variable("CUDA_VISIBLE_DEVICES", "2,3"), True),
        (variable("CUDA_VISIBLE_DEVICES", "GPU-8932f937"), False),
    ],
)
def test_only_numbers_above_the_granted_devices_are_reported(
    parts: dict[str, Any], reported: bool
) -> None:
    value = main(**{**parts, **limited(**{"nvidia.com/gpu": 2})})
    assert bool(fields("JW513", job(value))) is reported
    assert fields("JW513", job(main(**parts))) == []


@pytest.mark.parametrize(
    ("value", "reported"), [("all", True), ("0", True), ("void", False), ("none", False)]
)
def test_a_container_may_say_that_it_wants_no_gpu(value: str, reported: bool) -> None:
    assert bool(fields("JW514", job(main(**variable("NVIDIA_VISIBLE_DEVICES", value))))) is reported


@pytest.mark.parametrize(
    ("cpu", "threads", "reported"),
    [
        ("4", "8", True),
        ("4", "4", False),
        ("4500m", "5", True),
        ("500m", "1", False),
        ("4", "auto", False),
    ],
)
def test_threads_are_compared_with_whole_cpus(cpu: str, threads: str, reported: bool) -> None:
    value = job(main(**{**variable("OMP_NUM_THREADS", threads), **limited(cpu=cpu)}))
    assert bool(fields("JW515", value)) is reported


@pytest.mark.parametrize(
    ("name", "value", "reported"),
    [
        ("DB_PASSWORD", "Vx91-s3", True),
        ("PGPASSWORD", "Vx91-s3", True),
        ("GITHUB_TOKEN", "ghp_abcdefgh", True),
        ("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI", True),
        ("DATABASE_URL", "postgres://shop:Vx91s3@db/shop", True),
        ("DATABASE_URL", "postgres://shop:$(PASSWORD)@db/shop", False),
        ("DATABASE_URL", "postgres://db:5432/shop", False),
        ("DB_PASSWORD", "$(OTHER)", False),
        ("DB_PASSWORD", "${PASSWORD}", False),
        ("DB_PASSWORD", "<password>", False),
        ("DB_PASSWORD", "changeme", False),
        ("DB_PASSWORD", "password", True),
        ("DB_PASSWORD", "database_password", False),
        ("db.password", "db_password", False),
        ("AWS_SECRET_ACCESS_KEY", "secret_key", False),
        ("API_TOKEN", "your-api-token-here", False),
        ("API_TOKEN", "my-blue-horse", True),
        ("DB_PASSWORD_FILE", "/run/secrets/db", False),
        ("DB_PASSWORD", "/run/secrets/db", False),
        ("TOKEN_LIFETIME", "3600s", False),
        ("MAX_TOKEN", "4096", False),
        ("TLS_SECRET", "shop-tls-secret", False),
        ("CACHE_KEY", "nightly", False),
        ("HF_TOKEN", "PLACEHOLDER_HF_TOKEN", False),
        ("DB_PASSWORD", "REPLACE_ME", False),
        ("DB_PASSWORD", "ReplaceMe", False),
        ("API_TOKEN", "YOUR_OPENAI_TOKEN", False),
        ("API_TOKEN", "replace-with-real-value", False),
        ("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", False),
        ("DB_PASSWORD", "op://prod/db/password", False),
        ("DB_PASSWORD", "bao:secret/data/db#password", False),
        ("DB_PASSWORD", "ref+vault://secret/db#/password", False),
        ("DB_PASSWORD", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbCdEf", False),
        ("DB_PASSWORD", "projects/p1/secrets/db/versions/3", False),
        ("DATABASE_URL", "postgres://shop:REPLACE_ME@db/shop", False),
        ("DB_PASSWORD", "Replaced-9xK2", True),
        ("DB_PASSWORD", "opensesame:9xK2", True),
    ],
)
def test_only_values_that_are_secrets_are_reported(name: str, value: str, reported: bool) -> None:
    for each in both(main(**variable(name, value))):
        assert bool(fields("JW516", each)) is reported


@pytest.mark.parametrize(("other", "reported"), [("RUNTIME_SECRET_NAME", False), ("NAME", True)])
def test_the_key_of_a_secret_is_no_secret(other: str, reported: bool) -> None:
    env = [
        {"name": "RUNTIME_SECRET_KEY", "value": "opensesame:9xK2"},
        {"name": other, "value": "runtime"},
    ]
    assert bool(fields("JW516", job(main(env=env)))) is reported


@pytest.mark.parametrize(
    ("command", "reported"),
    [
        (["tool", "--password=Vx91-s3"], True),
        (["tool", "--api-key", "Vx91-s3"], True),
        (["sh", "-ec", "tool --token Vx91-s3"], True),
        (["sh", "-ec", 'tool --token "$TOKEN"'], False),
        (["tool", "--password-file=/run/a"], False),
        (["tool", "--tls-secret", "shop"], False),
        (["git", "clone", "https://me:Vx91s3@git.example.com/a"], True),
    ],
)
def test_a_secret_may_be_an_option(command: list[str], reported: bool) -> None:
    assert bool(fields("JW516", job(main(command=command)))) is reported


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("set -x; a $TOKEN", True),
        ("set -ex\na ${TOKEN}", True),
        ("set -o xtrace; a $TOKEN", True),
        ("set -e; a $TOKEN", False),
        ("set -x; a $TOKENS", False),
    ],
)
def test_only_a_traced_use_of_a_secret_is_reported(text: str, reported: bool) -> None:
    secret = {"secretKeyRef": {"name": "s", "key": "k"}}
    value = script(text, env=[{"name": "TOKEN", "valueFrom": secret}])
    assert bool(fields("JW517", job(value))) is reported
    assert fields("JW517", job(script(text, **variable("TOKEN", "a")))) == []


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("a > /out/log", True),
        ("a 2>> /out/log", True),
        ("a > /tmp/log", False),
        ("a > /dev/null 2>&1", False),
        ("a > out/log", False),
        ("echo '> /out/log'", False),
        ("a <<EOF\nb > /out/log\nEOF", False),
        ("a > /etc/app/log", True),
    ],
)
def test_only_writes_to_read_only_paths_are_reported(text: str, reported: bool) -> None:
    mounts = [
        {"name": "tmp", "mountPath": "/tmp"},
        {"name": "app", "mountPath": "/etc/app"},
    ]
    volumes = [{"name": "tmp", "emptyDir": {}}, {"name": "app", "configMap": {"name": "app"}}]
    parts = {"volumeMounts": mounts, "securityContext": {"readOnlyRootFilesystem": True}}
    assert bool(fields("JW518", job({**script(text, **parts), "volumes": volumes}))) is reported


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("a > /out/rows.$$", True),
        ("mv rows.$$ rows", True),
        ('a > "/out/$$.lock"', True),
        ("kill -TERM $$; a", True),
        ("a $$\nb", True),
        ("a > /out/rows.$$$$", False),
        ("echo $$HOME", False),
        ("echo $${HOME}", False),
        ("echo $$(hostname)", False),
        ("grep 'a$$' b", False),
        ("a # of $$ lines", False),
        ("echo \\$$", False),
        ("echo $HOME$", False),
    ],
)
def test_only_the_process_id_of_a_shell_is_reported(text: str, reported: bool) -> None:
    """Source: MappingFuncFor and Expand of third_party/forked/golang/expansion (Kubernetes 1.36)."""
    assert bool(fields("JW525", job(script(text)))) is reported


def test_dollars_of_a_command_without_a_shell_are_not_reported() -> None:
    assert fields("JW525", job(main(command=["export-rows", "rows.$$"]))) == []


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("echo $TOKEN; a", True),
        ("a && echo token=${TOKEN}", True),
        ('if a; then printf "%s" "$TOKEN"; fi', True),
        ("a || echo ${TOKEN:0:8}", True),
        ("echo $TOKEN | login", False),
        ("echo $TOKEN > /out/token", False),
        ("a=$(echo $TOKEN)", False),
        ("echo ${TOKEN:+set}", False),
        ("echo '$TOKEN'", False),
        ("echo $TOKENS", False),
        ("a $TOKEN; echo done", False),
        ("# echo $TOKEN", False),
    ],
)
def test_only_a_secret_that_the_log_shows_is_reported(text: str, reported: bool) -> None:
    secret = {"secretKeyRef": {"name": "s", "key": "k"}}
    env = [{"name": "TOKEN", "valueFrom": secret}, {"name": "BUCKET", "valueFrom": secret}]
    assert bool(fields("JW517", job(script(text, env=env)))) is reported
    assert fields("JW517", job(script(text.replace("TOKEN", "BUCKET"), env=env))) == []


@pytest.mark.parametrize(
    ("spec", "reported"),
    [
        ({"backoffLimit": 432}, True),
        ({"backoffLimit": 431}, False),
        ({}, False),
        ({"backoffLimit": 432, "activeDeadlineSeconds": 60}, False),
        ({"backoffLimit": 2**31 - 1, "completionMode": "Indexed", "completions": 2, "backoffLimitPerIndex": 1}, False),
    ],
)  # fmt: skip
def test_only_retries_for_three_days_or_longer_are_reported(
    spec: dict[str, Any], reported: bool
) -> None:
    for value in both(main(), **spec):
        assert bool(fields("JW236", value)) is reported


@pytest.mark.parametrize(
    ("name", "spec", "reported"),
    [
        ("system-node-critical", {}, True),
        ("system-cluster-critical", {"parallelism": 2}, True),
        ("system-cluster-critical", {}, False),
        ("batch", {"parallelism": 2}, False),
    ],
)
def test_only_priorities_of_the_system_are_reported(
    name: str, spec: dict[str, Any], reported: bool
) -> None:
    value = job({**main(), "priorityClassName": name}, **spec)
    assert bool(fields("JW529", value)) is reported
    value["metadata"]["namespace"] = "kube-system"
    assert fields("JW529", value) == []


def test_an_image_that_is_never_pulled_is_reported_once() -> None:
    container = {"name": "main", "image": "tool:1", "imagePullPolicy": "Never"}
    pod = {"containers": [container], "initContainers": [{**container, "name": "init"}]}
    assert fields("JW527", job(pod)) == ["template.spec.initContainers[0].imagePullPolicy"]
    assert fields("JW527", job(main(imagePullPolicy="IfNotPresent"))) == []


CONFIG_MAP, SECRET = {"name": "scripts"}, {"secretName": "scripts"}


@pytest.mark.parametrize(
    ("command", "volume", "reported"),
    [
        (["/scripts/run.sh"], {"configMap": CONFIG_MAP}, True),
        (["/scripts/run.sh", "--all"], {"secret": SECRET}, True),
        (["tini", "--", "/scripts/run.sh"], {"configMap": CONFIG_MAP}, True),
        (["sh", "-ec", "cd /; /scripts/run.sh | tee /out/log"], {"configMap": CONFIG_MAP}, True),
        (["/scripts/run.sh"], {"configMap": {**CONFIG_MAP, "defaultMode": 0o400}}, True),
        (["/scripts/run.sh"], {"projected": {"sources": [{"configMap": CONFIG_MAP}]}}, True),
        (["/scripts/run.sh"], {"configMap": {**CONFIG_MAP, "defaultMode": 0o555}}, False),
        (["/scripts/run.sh"], {"configMap": {**CONFIG_MAP, "defaultMode": 0o100}}, False),
        (["sh", "/scripts/run.sh"], {"configMap": CONFIG_MAP}, False),
        (["sh", "-ec", ". /scripts/run.sh"], {"configMap": CONFIG_MAP}, False),
        (["/bin/run.sh", "/scripts/run.sh"], {"configMap": CONFIG_MAP}, False),
        (["/scripts/run.sh"], {"emptyDir": {}}, False),
        (["scripts/run.sh"], {"configMap": CONFIG_MAP}, False),
    ],
)
def test_only_a_file_without_the_mode_of_a_program_is_reported(
    command: list[str], volume: dict[str, Any], reported: bool
) -> None:
    mounts = [{"name": "scripts", "mountPath": "/scripts"}]
    pod = main(command=command, volumeMounts=mounts)
    pod["volumes"] = [{"name": "scripts", **volume}]
    assert bool(fields("JW526", job(pod))) is reported


@pytest.mark.parametrize(
    ("item", "mount", "reported"),
    [
        ({"path": "run.sh", "mode": 0o555}, {"mountPath": "/scripts"}, False),
        ({"path": "run.sh"}, {"mountPath": "/scripts"}, True),
        ({"path": "other.sh", "mode": 0o555}, {"mountPath": "/scripts"}, True),
        ({"path": "run.sh", "mode": 0o555}, {"mountPath": "/scripts/run.sh", "subPath": "run.sh"}, False),
        ({"path": "bin/run.sh", "mode": 0o555}, {"mountPath": "/scripts", "subPath": "bin"}, False),
        ({"path": "run.sh", "mode": 0o444}, {"mountPath": "/scripts/run.sh", "subPath": "run.sh"}, True),
    ],
)  # fmt: skip
@pytest.mark.parametrize("projected", [False, True])
def test_an_item_of_a_volume_has_its_own_mode(
    item: dict[str, Any], mount: dict[str, Any], reported: bool, projected: bool
) -> None:
    config_map = {**CONFIG_MAP, "items": [{"key": "run", **item}]}
    volume = {"projected": {"sources": [{"configMap": config_map}]}}
    pod = main(command=["/scripts/run.sh"], volumeMounts=[{"name": "scripts", **mount}])
    pod["volumes"] = [{"name": "scripts", **(volume if projected else {"configMap": config_map})}]
    assert bool(fields("JW526", job(pod))) is reported


@pytest.mark.parametrize(
    ("command", "parts", "reported"),
    [
        (["kubectl", "get", "pods"], {}, True),
        (["sh", "-ec", "sleep 1; helm upgrade a b"], {}, True),
        (["kubectl", "version", "--client"], {}, False),
        (["helm", "template", "a"], {}, False),
        (["flux", "reconcile", "source", "git", "a"], {}, True),
        (["flux", "start", "./run.sh"], {}, False),
        (["kubectl", "--kubeconfig", "/k", "get", "pods"], {}, False),
        (["kubectl", "get", "pods"], variable("KUBECONFIG", "/k"), False),
        (["python", "a.py"], {}, False),
    ],
)
def test_only_a_client_without_any_credentials_is_reported(
    command: list[str], parts: dict[str, Any], reported: bool
) -> None:
    pod = {**main(command=command, **parts), "automountServiceAccountToken": False}
    assert bool(fields("JW723", job(pod))) is reported
    assert fields("JW723", job(main(command=command, **parts))) == []
    volume = [{"name": "k", "secret": {"secretName": "k"}}]
    assert fields("JW723", job({**pod, "volumes": volume})) == []


@pytest.mark.parametrize(
    ("image", "reported"),
    [
        ("a:1-arm64", True),
        ("a-amd64:1", True),
        ("host:5000/a:1", False),
        ("arm64/a:1", False),
        ("charm64:1", False),
        ("a:1-arm64@sha256:" + "0" * 64, True),
    ],
)
def test_an_architecture_is_the_last_word_of_a_name_or_tag(image: str, reported: bool) -> None:
    pod = {"containers": [{"name": "main", "image": image}]}
    assert bool(fields("JW520", job(pod))) is reported
    selected = {**pod, "nodeSelector": {"kubernetes.io/arch": "arm64"}}
    assert fields("JW520", job(selected)) == []


def test_the_user_of_a_container_overrides_that_of_its_pod() -> None:
    root = {"securityContext": {"runAsNonRoot": True, "runAsUser": 0}}
    assert fields("JW522", job({**main(), **root})) == ["template.spec.securityContext.runAsUser"]
    own = main(securityContext={"runAsUser": 1000})
    assert fields("JW522", job({**own, **root})) == []
    allowed = main(securityContext={"runAsNonRoot": False})
    assert fields("JW522", job({**allowed, **root})) == []


def test_a_host_port_matters_for_several_pods_at_a_time() -> None:
    pod = main(ports=[{"containerPort": 80, "hostPort": 80}])
    assert fields("JW523", job(pod, parallelism=2, completions=2)) == [f"{MAIN}.ports[0].hostPort"]
    assert fields("JW523", job(pod, completions=2)) == []


@pytest.mark.parametrize(
    ("hook", "grace", "reported"),
    [
        ({"exec": {"command": ["sleep", "30"]}}, None, True),
        ({"exec": {"command": ["sleep", "29"]}}, None, False),
        ({"exec": {"command": ["sh", "-c", "drain; sleep 20; sleep 15s"]}}, None, True),
        ({"exec": {"command": ["sh", "-c", "sleep $N"]}}, None, False),
        ({"sleep": {"seconds": 45}}, None, True),
        ({"sleep": {"seconds": 45}}, 60, False),
        ({"httpGet": {"port": 80}}, None, False),
    ],
)
def test_only_constant_sleeps_count_towards_the_grace_period(
    hook: dict[str, Any], grace: int | None, reported: bool
) -> None:
    pod = main(lifecycle={"preStop": hook})
    if grace is not None:
        pod["terminationGracePeriodSeconds"] = grace
    for value in both(pod):
        assert bool(fields("JW250", value)) is reported
    if reported:
        assert fields("JW250", after_fix("JW250", job(pod))) == []


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("prepare; train", True),
        ("train", False),
        ("prepare; exec train", False),
        ("trap 'kill $P' TERM; train & P=$!; wait $P", False),
        ("echo a; sleep 5", False),
    ],
)
def test_only_a_shell_that_keeps_the_signal_is_reported(text: str, reported: bool) -> None:
    pod = {**script(text), "terminationGracePeriodSeconds": 120}
    assert bool(fields("JW251", job(pod))) is reported
    assert fields("JW251", job(script(text))) == []
    assert fields("JW251", job({**pod, "shareProcessNamespace": True})) == []


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("until nc -z db 5432; do sleep 1; done; work", True),
        ("while ! nc -z db 5432; do echo wait; sleep 1; done", True),
        ("while [ ! -f /shared/done ]; do sleep 1; done", True),
        ("while true; do work; sleep 60; done", False),
        ("while read line; do work $line; sleep 1; done < list", False),
        ("while kill -0 $P; do sleep 1; done", False),
        ("until work; do n=$((n+1)); [ $n -gt 5 ] && exit 1; sleep 1; done", False),
        ("until work; do [ $SECONDS -lt 60 ] || break; sleep 1; done", False),
        ("for x in 1 2 3; do work && break; sleep 1; done", False),
    ],
)
def test_only_a_loop_without_a_way_out_is_reported(text: str, reported: bool) -> None:
    for value in both(script(text)):
        assert bool(fields("JW252", value)) is reported
    assert fields("JW252", job(script(text), activeDeadlineSeconds=60)) == []


@pytest.mark.parametrize(
    ("command", "reported"),
    [
        (["restic", "backup", "/data"], True),
        (["restic", "--retry-lock=5m", "backup", "/data"], False),
        (["restic", "snapshots"], False),
        (["sh", "-ec", "restic unlock; restic backup /data"], False),
        (["terraform", "apply", "-lock-timeout=5m"], False),
        (["tofu", "apply"], True),
    ],
)
def test_only_work_that_takes_a_lock_is_reported(command: list[str], reported: bool) -> None:
    assert bool(fields("JW253", job(main(command=command)))) is reported
    assert fields("JW253", job(main(command=command), backoffLimit=0)) == []


@pytest.mark.parametrize(
    ("parts", "reported"),
    [
        ({"command": ["train", "--ckpt-dir", "/out/a"]}, True),
        ({"command": ["train", "--checkpoint-dir=s3://bucket/a"]}, False),
        ({"command": ["train", "--checkpoint-dir=/data/a"]}, False),
        ({"command": ["train", "--checkpoint-every=100"]}, False),
        (variable("CHECKPOINT_PATH", "/scratch/a"), True),
        (variable("CHECKPOINT_PATH", "relative"), False),
    ],
)
def test_only_folders_that_a_new_pod_lacks_are_reported(
    parts: dict[str, Any], reported: bool
) -> None:
    mounts = [{"name": "data", "mountPath": "/data"}, {"name": "scratch", "mountPath": "/scratch"}]
    volumes = [
        {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
        {"name": "scratch", "emptyDir": {}},
    ]
    pod = {**main(volumeMounts=mounts, **parts), "volumes": volumes}
    assert bool(fields("JW254", job(pod))) is reported
    assert fields("JW254", job(pod, backoffLimit=0)) == []


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("sleep 40; sleep 30", True),
        ("sleep 60", False),
        ("kubectl wait --for=condition=Ready pod/a --timeout=2m", True),
        ("kubectl wait pod/a --timeout=30s; a", False),
        ("if a; then sleep 100; fi", False),
    ],
)
def test_only_waits_beyond_the_deadline_are_reported(text: str, reported: bool) -> None:
    assert bool(fields("JW255", job(script(text), activeDeadlineSeconds=60))) is reported
    assert fields("JW255", job(script(text))) == []


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("pg_dump a | gzip > b", True),
        ("set -o pipefail; pg_dump a | gzip > b", False),
        ("pg_dump a > b", False),
        ("work | gzip > b", False),
    ],
)
def test_only_a_dump_in_a_pipe_is_a_warning(text: str, reported: bool) -> None:
    assert bool(fields("JW256", job(script(text)))) is reported
    if reported:
        assert fields("JW224", job(script(text))) == []


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("work; echo done", True),
        ("work; curl -X POST http://localhost:15020/quitquitquit", True),
        ("work\necho done\nexit $?", True),
        ("work; exit $?", False),
        ("work && echo done", False),
        ("set -e; work; echo done", False),
        ("work; code=$?; echo $code; exit $code", False),
        ("work; curl https://hooks.example.com/done", False),
        ("echo start; echo done", False),
        ("work || exit 1; echo done", False),
    ],
)
def test_a_closing_command_hides_the_exit_code_of_the_work(text: str, reported: bool) -> None:
    assert bool(fields("JW222", job(script(text)))) is reported


def test_a_proxy_may_be_stopped_where_a_retry_is_a_new_pod() -> None:
    pod = script("work; curl -X POST localhost:15020/quitquitquit; exit 1")
    assert fields("JW259", job({**pod, "restartPolicy": "OnFailure"})) == [
        "template.spec.restartPolicy"
    ]
    assert fields("JW259", job(pod)) == []
    other = script("work; curl -X POST localhost:8080/done")
    assert fields("JW259", job({**other, "restartPolicy": "OnFailure"})) == []


@pytest.mark.parametrize(
    ("spec", "inner", "reported"),
    [
        ({}, {}, True),
        ({"concurrencyPolicy": "Forbid"}, {}, False),
        ({"suspend": True}, {}, False),
        ({}, {"activeDeadlineSeconds": 3600}, False),
    ],
)
def test_a_deadline_or_policy_keeps_runs_apart(
    spec: dict[str, Any], inner: dict[str, Any], reported: bool
) -> None:
    value = cron_job(job(main(command=["pg_dump", "shop"]), **inner), **spec)
    assert bool(fields("JW440", value)) is reported
    assert fields("JW440", cron_job(job(main(command=["report"])))) == []
    migration = ["npx", "prisma", "migrate", "deploy"]
    assert (
        bool(fields("JW440", cron_job(job(main(command=migration), **inner), **spec))) is reported
    )


@pytest.mark.parametrize(
    ("spec", "zone", "reported"),
    [
        ({}, "Europe/Paris", True),
        ({}, "UTC", False),
        ({}, "Etc/UTC", False),
        ({}, "Mars/Olympus", False),
        ({"timeZone": "Europe/Paris"}, "Europe/Paris", False),
        ({"schedule": "0 * * * *"}, "Europe/Paris", False),
    ],
)
def test_the_zone_of_a_container_matters_for_the_hour_of_its_runs(
    spec: dict[str, Any], zone: str, reported: bool
) -> None:
    value = cron_job(job(main(**variable("TZ", zone))), **spec)
    assert bool(found("JW441", value)) is reported


def test_options_have_their_value_in_the_same_or_the_next_word() -> None:
    words = ["a", "--one=1", "--two", "2", "--three", "--Four-Five", "5", "-"]
    assert dict(option_values(words)) == {"one": "1", "two": "2", "three": "", "four_five": "5"}


@pytest.mark.parametrize(
    ("command", "reported"),
    [
        (["python3", "train.py", "--num-workers", "8"], True),
        (["python", "main.py", "--workers=16"], True),
        (["torchrun", "--nproc-per-node=4", "train.py"], True),
        (["vllm", "serve", "--tensor-parallel-size", "2"], True),
        (["sh", "-c", "exec python -m train --dataloader_num_workers 4"], True),
        (["python", "train.py", "--num-workers", "0"], False),
        (["torchrun", "--nproc-per-node=1", "train.py"], False),
        (["server", "--workers=16"], False),
        (["python", "train.py"], False),
    ],
)
def test_processes_that_share_memory_have_more_than_the_default(
    command: list[str], reported: bool
) -> None:
    parts = {"command": command, **limited(**{"nvidia.com/gpu": "1"})}
    for value in both(main(**parts)):
        assert fields("JW524", value) == ([f"{MAIN}.volumeMounts"] if reported else [])
    assert fields("JW524", job(main(command=command))) == []
    assert fields("JW524", job({**main(**parts), "hostIPC": True})) == []


@pytest.mark.parametrize(
    ("volume", "reported"),
    [
        ({"emptyDir": {"medium": "Memory"}}, False),
        ({"emptyDir": {"medium": "Memory", "sizeLimit": "65Mi"}}, False),
        ({"emptyDir": {"medium": "Memory", "sizeLimit": "64Mi"}}, True),
        ({"hostPath": {"path": "/dev/shm"}}, False),
    ],
)
def test_a_volume_replaces_the_default_of_shared_memory(
    volume: dict[str, Any], reported: bool
) -> None:
    pod = main(
        command=["torchrun", "--nproc-per-node=2", "train.py"],
        volumeMounts=[{"name": "shm", "mountPath": "/dev/shm"}],
        **limited(**{"nvidia.com/gpu": "2"}),
    )
    pod["volumes"] = [{"name": "shm", **volume}]
    at = ["template.spec.volumes[0].emptyDir.sizeLimit"] if reported else []
    assert fields("JW524", job(pod)) == at


@pytest.mark.parametrize(
    ("image", "what"),
    [
        ("bitnami/kubectl:1.31.2", "deleted"),
        ("docker.io/bitnami/kubectl:1.31.2", "deleted"),
        ("index.docker.io/bitnami/kubectl:1.31", "deleted"),
        ("docker.io/bitnamilegacy/kubectl:1.33", "frozen"),
        ("bitnamilegacy/kubectl", "frozen"),
        ("bitnami/kubectl:latest", ""),
        ("bitnami/kubectl", ""),
        ("bitnami/kubectl@sha256:" + "0" * 64, ""),
        ("registry.example.com/bitnami/kubectl:1.31.2", ""),
        ("public.ecr.aws/bitnami/kubectl:1.31.2", ""),
        ("bitnamisecure/kubectl:latest", ""),
    ],
)
def test_images_that_bitnami_withdrew_are_reported(image: str, what: str) -> None:
    findings = found("JW521", job({"containers": [{"name": "main", "image": image}]}))
    assert [what in finding.message for finding in findings] == ([True] if what else [])


@pytest.mark.parametrize(
    "annotation",
    [
        "sidecar.istio.io/nativeSidecar",
        "config.alpha.linkerd.io/proxy-enable-native-sidecar",
        "config.beta.linkerd.io/proxy-enable-native-sidecar",
    ],
)
def test_a_native_proxy_starts_again_with_its_script(annotation: str) -> None:
    pod = {
        **script("work; curl -X POST localhost:15020/quitquitquit"),
        "restartPolicy": "OnFailure",
    }
    for value, expected in (("true", []), ("false", ["template.spec.restartPolicy"])):
        annotated = job(pod)
        annotated["spec"]["template"]["metadata"] = {"annotations": {annotation: value}}
        assert fields("JW259", annotated) == expected


@pytest.mark.parametrize(
    "command",
    [
        ["sh", "-c", "psql <<'EOF'\nDO $$\nBEGIN\nEND $$;\nEOF\n"],
        ["psql", "-c", "DO $$ BEGIN NULL; END $$;"],
        ["psql", "-c", "CREATE FUNCTION f() RETURNS int AS $$ SELECT 1 $$ LANGUAGE sql"],
    ],
)
def test_dollar_quoting_of_sql_is_no_process_id(command: list[str]) -> None:
    (finding,) = found("JW525", job(main(command=command)))
    assert "quotes SQL" in finding.message


PROXY = {"name": "proxy", "image": "gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.14.0"}
BY_SCRIPT = {"command": ["sh", "-c", "set -e\nuntil nc -z localhost 5432; do sleep 1; done"]}


def with_init(*init: dict[str, Any], **parts: Any) -> dict[str, Any]:
    named = [{"name": f"init{index}", "image": "tool:1", **each} for index, each in enumerate(init)]
    containers = parts.get("containers", [{"name": "main", "image": "work:1"}, PROXY])
    return job({"initContainers": named, "containers": containers})


@pytest.mark.parametrize(
    ("init", "place"),
    [
        (variable("DB_HOST", "127.0.0.1"), "env[0].value"),
        (variable("DATABASE_URL", "postgres://u@localhost:5432/shop"), "env[0].value"),
        (variable("PGHOST", "/cloudsql/p:r:i"), "env[0].value"),
        (variable("NAME", "localhost"), ""),
        (variable("DB_HOST", "db.example.com"), ""),
        (BY_SCRIPT, "command[2]"),
        ({"command": ["migrate", "--host=localhost"]}, "command[1]"),
        ({"command": ["sh", "-c", "cloud-sql-proxy p:r:i & migrate --host=localhost"]}, ""),
        ({**variable("DB_HOST", "127.0.0.1"), "restartPolicy": "Always"}, ""),
        ({}, ""),
    ],
)
def test_an_init_container_cannot_call_a_proxy_that_starts_later(
    init: dict[str, Any], place: str
) -> None:
    expected = [f"template.spec.initContainers[0].{place}"] if place else []
    assert fields("JW269", with_init(init)) == expected
    assert fields("JW269", cron_job(with_init(init))) == expected


def test_the_line_of_the_call_in_a_script_is_reported() -> None:
    (finding,) = found("JW269", with_init(BY_SCRIPT))
    assert finding.line == 1


def test_a_proxy_before_the_init_container_that_calls_it_is_reached() -> None:
    call = variable("DB_HOST", "127.0.0.1")
    sidecar = {**PROXY, "restartPolicy": "Always"}
    work = [{"name": "main", "image": "work:1"}]
    assert fields("JW269", with_init(sidecar, call, containers=work)) == []
    assert fields("JW269", with_init(call, sidecar, containers=work)) != []
    assert fields("JW269", with_init(call, containers=work)) == []


@pytest.mark.parametrize(
    ("password", "is_reported"), [("PASSWORD", False), ("SECRET", False), ("s3cr3t-Vx91", True)]
)
def test_a_word_in_capitals_stands_for_a_password(password: str, is_reported: bool) -> None:
    url = f"amqp://user:{password}@rabbitmq:5672"
    assert bool(fields("JW516", job(main(command=["send", url])))) is is_reported
