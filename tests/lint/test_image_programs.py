"""The limits of the rules for what an image lacks, for keys, variables and exit codes of scripts."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import cron_job, found, found_beside, job, on_codes, with_policy


def main(**parts: Any) -> dict[str, Any]:
    return {"containers": [{"name": "main", "image": "registry.example.com/tools:1", **parts}]}


def script(
    text: str, image: str = "alpine:3.20", shell: str = "sh", **parts: Any
) -> dict[str, Any]:
    return job(main(image=image, command=[shell, "-c", text], **parts))


def number(code: str, value: dict[str, Any]) -> int:
    return len(found(code, value))


@pytest.mark.parametrize(
    ("image", "shell", "reported"),
    [
        ("alpine:3.20", "bash", True),
        ("busybox", "/bin/bash", True),
        ("curlimages/curl:8.11.0", "bash", True),
        ("gcr.io/distroless/static", "sh", True),
        ("mirror.example.com/rancher/kubectl:v1.36.0", "sh", True),
        ("python:3.12-alpine", "bash", True),
        ("alpine:3.20", "sh", False),
        ("python:3.12-slim", "bash", False),
        ("postgres:16-alpine", "bash", False),
        ("gcr.io/distroless/base:debug", "sh", False),
        ("acme/tools", "bash", False),
    ],
)
def test_an_image_has_the_shells_of_its_family(image: str, shell: str, reported: bool) -> None:
    assert number("JW538", script("work", image, shell)) == reported


def test_a_volume_may_bring_the_shell() -> None:
    mounts = [{"name": "bin", "mountPath": "/opt/bin"}]
    assert number("JW538", script("work", shell="/opt/bin/bash", volumeMounts=mounts)) == 0


@pytest.mark.parametrize(
    ("image", "text", "reported"),
    [
        ("debian:12", "set -o pipefail; a | b", True),
        ("debian:12", "[[ $A == b ]] && c", True),
        ("debian:12", "source /etc/env; a", True),
        ("debian:12", "a=(b c); d", True),
        ("debian:12", "a <<< b", True),
        ("debian:12", "cat > /tmp/a.py <<EOF\nx=(1, 2)\nEOF\npython3 /tmp/a.py", False),
        ("alpine", "a=(b c); d", True),
        ("alpine", "[[ $A == b ]] && c", False),
        ("alpine", "set -o pipefail; a | b", False),
        ("debian:12", "echo 'a=(b)'; [ $A = b ] && c", False),
        ("debian:12", 'psql -c "select f(a, b=(c))"', False),
        ("amazonlinux:2023", "[[ $A == b ]] && c", False),
        ("acme/tools", "[[ $A == b ]] && c", False),
    ],
)
def test_sh_has_the_dialect_of_its_family(image: str, text: str, reported: bool) -> None:
    assert number("JW539", script(text, image)) == reported
    assert number("JW539", script(text, image, "bash")) == 0


@pytest.mark.parametrize(
    ("image", "text", "reported"),
    [
        ("busybox", "curl http://a", True),
        ("debian:12-slim", "wget http://a", True),
        ("ubuntu:24.04", "kubectl get pods", True),
        ("alpine", "date -d '7 days ago' +%F", True),
        ("alpine", "find /a -newermt $(date -d yesterday +%F)", True),
        ("busybox", 'D=$(date --date="-1 day" +%F); work $D', True),
        ("python:3.12-alpine", 'work "$(date -d "$DAY - 2 weeks" +%F)"', True),
        ("alpine", "date -d '2026-01-31 10:00' +%s", False),
        ("alpine", "date -d @1700000000", False),
        ("alpine", 'date -d "$DAY" +%F', False),
        ("alpine", "date -D '%F' -d 'now' +%s", False),
        ("alpine", "apk add coreutils; date -d yesterday", False),
        ("python:3.12-slim", "date -d yesterday", False),
        ("alpine", "grep -oP a b", True),
        ("alpine", "apt-get update && run", True),
        ("debian:12", "apk add curl", True),
        ("busybox", "wget http://a", False),
        ("alpine", "apk add curl; curl http://a", False),
        ("ubuntu:24.04", "apt-get install -y curl && curl http://a", False),
        ("alpine", "if command -v curl; then curl http://a; else wget http://a; fi", False),
        ("alpine", "curl http://a || wget http://a", False),
        ("alpine", "wget -O /usr/local/bin/jq http://a; chmod +x /usr/local/bin/jq; jq .", False),
        ("debian:12", "date -d '7 days ago' +%F", False),
        ("curlimages/curl", "curl http://a", False),
        ("python:3.12", "curl http://a", False),
    ],
)
def test_an_image_of_a_distribution_lacks_programs(image: str, text: str, reported: bool) -> None:
    assert number("JW540", script(text, image)) == reported


@pytest.mark.parametrize(
    ("text", "context", "reported"),
    [
        ("apk add curl", {"runAsUser": 1000}, True),
        ("apt-get update && apt-get install jq", {"runAsNonRoot": True}, True),
        ("pip install boto3", {"readOnlyRootFilesystem": True}, True),
        ("chown -R app /data", {"runAsUser": 1000}, True),
        ("chown -R app /data || true", {"runAsUser": 1000}, False),
        ("chown -R 26:26 /data", {"runAsUser": 26, "runAsGroup": 26}, False),
        ("chown -R 26 /data", {"runAsUser": 26}, False),
        ("chown -R 26:0 /data", {"runAsUser": 26, "runAsGroup": 26}, True),
        ("chown -R 27:26 /data", {"runAsUser": 26, "runAsGroup": 26}, True),
        ("mount | grep data", {"runAsUser": 1000}, False),
        ("sysctl -n kernel.pid_max", {"runAsUser": 1000}, False),
        ("chown -R app /data", {}, False),
        ("apk add curl", {}, False),
        ("apk add curl", {"runAsUser": 0}, False),
        ("pip install --target /tmp/lib boto3", {"readOnlyRootFilesystem": True}, False),
        ("pip install boto3", {"runAsUser": 1000}, False),
        ("apt-cache policy jq", {"runAsUser": 1000}, False),
    ],
)
def test_packages_need_root_and_a_file_system(
    text: str, context: dict[str, Any], reported: bool
) -> None:
    assert number("JW541", script(text, securityContext=context)) == reported


@pytest.mark.parametrize(
    ("mode", "context", "text", "reported"),
    [
        (0o644, {"runAsUser": 0}, "ssh -i /keys/id host run", True),
        (0o644, {}, "ssh -i /keys/id host run", False),
        (0o400, {"runAsUser": 0, "fsGroup": 1000}, "rsync -e 'ssh -i /keys/id' /a host:/a", True),
        (0o400, {"runAsUser": 1000}, "scp -i /keys/id a host:", True),
        (0o400, {}, "ssh -i /keys/id host run", False),
        (0o400, {"runAsUser": 1000, "fsGroup": 1000}, "ssh -i /keys/id host run", False),
        (0o444, {"runAsUser": 1000}, "ssh -i /keys/id host run", False),
        (0o644, {}, "cp /keys/id /tmp; chmod 600 /tmp/id; ssh -i /tmp/id host", False),
        (0o644, {}, "grep -i /keys/id list", False),
        (0o644, {}, "ssh host run", False),
    ],
)
def test_ssh_needs_a_key_that_its_user_alone_reads(
    mode: int, context: dict[str, Any], text: str, reported: bool
) -> None:
    pod = main(command=["sh", "-c", text], volumeMounts=[{"name": "k", "mountPath": "/keys"}])
    volume = {"name": "k", "secret": {"secretName": "k", "defaultMode": mode}}
    assert (
        number("JW542", job({**pod, "volumes": [volume], "securityContext": context})) == reported
    )


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("aws s3 cp a s3://$BUKET/a", True),
        ("aws s3 cp a s3://${BUKET}/a", True),
        ("set -u; run $REPORT_BUCKET", True),
        ("echo LIST=$(ls); for each in $LIST; do run $each; done", True),
        (f"{'#' * 9000}\\necho\\nLIST=$(ls)\\nrun $LIST", False),
        ("aws s3 cp a s3://$BUCKET/a", False),
        ("BUKET=b; run $BUKET", False),
        (". ./env; run $BUKET", False),
        ("run $REPORT_BUCKET", False),
        ("run '$BUKET'", False),
        ("run ${BUKET:-b}", False),
        ("run $JAVA_HOME", False),
    ],
)
def test_a_variable_with_a_similar_name_is_set(text: str, reported: bool) -> None:
    assert number("JW543", script(text, env=[{"name": "BUCKET", "value": "b"}])) == reported


@pytest.mark.parametrize(
    ("command", "reported"),
    [
        (["sh", "-c", "train || exit 1"], True),
        (["sh", "-c", "echo start; exit 3"], True),
        (["python3", "-c", "import sys; sys.exit(3)"], True),
        (["sh", "-c", "train || { echo failed; exit 1; }"], True),
        (["sh", "-c", "train || { echo failed; exit 42; }"], False),
        (["sh", "-c", "train || { repair; exit 1; }"], False),
        (["sh", "-c", "train || exit 42"], False),
        (["sh", "-c", "train || exit $?"], False),
        (["sh", "-c", "train"], False),
        (["sh", "-c", "prepare; train || exit 1"], False),
        (["python3", "-c", "import sys, work; sys.exit(3)"], False),
        (["python3", "-c", "import sys; sys.exit(int(sys.argv[1]))"], False),
        (["python3", "-c", "no python"], False),
        (["python3", "train.py"], False),
    ],
)
def test_a_policy_waits_for_a_code_that_the_command_can_return(
    command: list[str], reported: bool
) -> None:
    value = with_policy(on_codes("FailJob", "In", 42), pod=main(command=command))
    assert number("JW128", value) == reported


@pytest.mark.parametrize(
    ("text", "parts", "reported"),
    [
        ("restic backup /a; restic forget --keep-last 3", {}, True),
        ("restic backup --host a /a; restic forget --keep-last 3", {}, False),
        ("restic backup /a; restic forget --group-by paths --keep-last 3", {}, False),
        ("restic backup /a", {}, False),
        ("restic forget --keep-last 3", {}, False),
        (
            "restic backup /a; restic forget --keep-last 3",
            {"env": [{"name": "RESTIC_HOST", "value": "a"}]},
            False,
        ),
    ],
)
def test_restic_groups_snapshots_by_host(text: str, parts: dict[str, Any], reported: bool) -> None:
    assert number("JW266", cron_job(script(text, **parts))) == reported


def test_a_shell_behind_a_pipe_gets_an_empty_script() -> None:
    assert number("JW222", script("curl -f http://a | bash", shell="bash")) == 1
    assert number("JW222", script("set -o pipefail; curl -f http://a | bash", shell="bash")) == 0


@pytest.mark.parametrize(
    ("command", "reported"),
    [
        (["run", "--tag", "$(date +%F)"], True),
        (["run", "`hostname`"], True),
        (["aws", "s3", "cp", "/out/*.csv", "s3://b/"], True),
        (["run", "--tag", "$(TAG)"], False),
        (["aws", "s3", "cp", "/out", "s3://b/", "--include", "*.csv"], False),
    ],
)
def test_no_shell_replaces_commands_and_patterns(command: list[str], reported: bool) -> None:
    assert number("JW532", job(main(command=command))) == reported


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("curl -o /models/a http://a", True),
        ("mkdir -p /models/cache", True),
        ("run > /models/log", True),
        ("aws eks update-kubeconfig --name a", True),
        ("mkdir -p /tmp", False),
        ("mkdir -p /data", False),
        ("curl -o /data/parts/a http://a", False),
        ("touch /models/a || true", False),
        ("# reads /proc/<pid>/cmdline\nrun", False),
        (
            "export KUBECONFIG=/data/parts/k; aws eks update-kubeconfig --kubeconfig $KUBECONFIG",
            False,
        ),
    ],
)
def test_a_command_cannot_write_to_a_read_only_file_system(text: str, reported: bool) -> None:
    mounts = [{"name": "work", "mountPath": "/data/parts"}]
    value = script(text, securityContext={"readOnlyRootFilesystem": True}, volumeMounts=mounts)
    value["spec"]["template"]["spec"]["volumes"] = [{"name": "work", "emptyDir": {}}]
    assert number("JW518", value) == reported


def test_only_root_writes_to_the_folders_of_the_system() -> None:
    text = "envsubst < /tpl > /etc/app.conf"
    assert number("JW518", script(text, securityContext={"runAsUser": 1000})) == 1
    assert number("JW518", script(text)) == 0
    assert number("JW518", script("run > /tmp/log", securityContext={"runAsUser": 1000})) == 0
    assert (
        number("JW518", script("run > /usr/src/app/log", securityContext={"runAsUser": 1000})) == 0
    )
    assert number("JW518", script("run > /dump.sql", securityContext={"runAsUser": 1000})) == 1


def test_another_user_cannot_change_the_mode_of_a_mounted_folder() -> None:
    parts = {
        "securityContext": {"runAsUser": 1000},
        "volumeMounts": [{"name": "w", "mountPath": "/scratch"}],
    }
    assert number("JW541", script("chmod 0777 /scratch", **parts)) == 1
    assert number("JW541", script("chmod 0755 /scratch/run.sh", **parts)) == 0


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("[ -n $A ] && run", True),
        ("if [ -n $(which curl) ]; then run; fi", True),
        ('[ -n "$A" ] && run', False),
        ("[[ -n $A ]] && run", False),
        ("[ -z $A ] && run", False),
        ("echo '[ -n $A ]'", False),
    ],
)
def test_a_test_without_quotes_is_true(text: str, reported: bool) -> None:
    assert number("JW545", script(text)) == reported


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("mysqldump -u root -p $PASSWORD shop", True),
        ("mysqldump -u root -p$PASSWORD shop", False),
        ("mysqldump -u root --password=$PASSWORD shop", False),
        ("mysql -p shop", False),
        ("run -p $PORT", False),
    ],
)
def test_the_password_of_mysql_follows_its_option_without_a_space(
    text: str, reported: bool
) -> None:
    value = script(text, "registry.example.com/mysql:8")
    assert number("JW546", value) == reported
    assert number("JW516", value) == 0


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("terraform apply", True),
        ("terraform -chdir=dns destroy", True),
        ("terraform apply -auto-approve", False),
        ("terraform apply plan.out", False),
        ("echo yes | terraform apply", False),
        ("terraform plan", False),
        ("apt-get install jq", True),
        ("apt-get update && apt-get install -q jq", True),
        ("dnf install jq", True),
        ("apt-get install -qy jq", False),
        ("apt-get -y install jq", False),
        ("apt-get install $OPTIONS jq", False),
        ("apt-get update", False),
        ("yes | apt-get install jq", False),
    ],
)
def test_nobody_answers_a_question_in_a_container(text: str, reported: bool) -> None:
    assert number("JW547", script(text, "registry.example.com/tools:1")) == reported


def test_a_terminal_makes_a_question_wait_and_variables_may_answer_it() -> None:
    image = "registry.example.com/tools:1"
    (waiting,) = found("JW547", script("terraform apply", image, stdin=True, tty=True))
    assert "waits for an answer forever" in waiting.message
    arguments = [{"name": "TF_CLI_ARGS_apply", "value": "-auto-approve"}]
    assert number("JW547", script("terraform apply", image, env=arguments)) == 0


OS, ARCH = "kubernetes.io/os", "kubernetes.io/arch"


def required(key: str, *values: str, operator: str = "In") -> dict[str, Any]:
    term = {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}
    terms = {"nodeSelectorTerms": [term]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}


@pytest.mark.parametrize(
    ("pod", "meant"),
    [
        ({"nodeSelector": {OS: "Linux"}}, "Set linux"),
        ({"nodeSelector": {ARCH: "x86_64"}}, "Set amd64"),
        (required(ARCH, "aarch64"), "Set arm64"),
        ({"nodeSelector": {OS: "darwin"}}, "Set one of linux, windows"),
        ({"nodeSelector": {OS: "linux", ARCH: "arm64", "pool": "Linux"}}, ""),
        (required(ARCH, "x86_64", "amd64"), ""),
        (required(ARCH, "x86_64", operator="NotIn"), ""),
    ],
)
def test_no_node_has_another_value_of_a_label_of_the_kubelet(
    pod: dict[str, Any], meant: str
) -> None:
    findings = found("JW548", job({**main(), **pod}))
    assert [each.message.partition("node. ")[2] for each in findings] == (
        [f"{meant}."] if meant else []
    )


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("psql -d shop -f /sql/a.sql", True),
        ("psql --file=/sql/a.sql", True),
        ("psql -v ON_ERROR_STOP=1 -f /sql/a.sql", False),
        ("psql -c 'select 1'", False),
        ("psql -f /sql/a.sql || exit 1", False),
    ],
)
def test_psql_goes_on_after_an_error_in_a_file(text: str, reported: bool) -> None:
    assert number("JW222", script(text, "postgres:16")) == reported
    assert number(
        "JW222", job(main(command=text.split(" || ", maxsplit=1)[0].split(), image="postgres:16"))
    ) == ("ON_ERROR_STOP" not in text and "-c" not in text)


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("set -e\nexport A=$(curl -f http://a)\nrun $A", True),
        ("set -e; f() { local A=$(kubectl get po); run $A; }; f", True),
        ("set -e\nA=$(curl -f http://a)\nexport A\nrun $A", False),
        ("set -e\nexport A=$(date)\nrun $A", False),
        ('set -e\nexport A=$(curl -f http://a)\n[ -n "$A" ]\nrun $A', False),
        ("set -e\nexport A=$(curl -f http://a)\nrun ${A:?}", False),
    ],
)
def test_a_declaration_hides_the_exit_code_of_a_request(text: str, reported: bool) -> None:
    assert number("JW223", script(text, "registry.example.com/tools:1")) == reported


@pytest.mark.parametrize(
    ("text", "spec", "reported"),
    [
        ("run ${JOB_COMPLETION_INDEX:-0}", {"completions": 4, "parallelism": 4}, True),
        ("run $JOB_COMPLETION_INDEX", {"parallelism": 2}, True),
        ("run $JOB_COMPLETION_INDEX", {"completions": 4, "completionMode": "Indexed"}, False),
        ("run ${JOB_COMPLETION_INDEX:-0}", {}, False),
        ("run '$JOB_COMPLETION_INDEX'", {"completions": 4}, False),
    ],
)
def test_only_an_indexed_job_sets_an_index(text: str, spec: dict[str, Any], reported: bool) -> None:
    assert number("JW543", job(main(command=["sh", "-c", text]), **spec)) == reported


@pytest.mark.parametrize(
    ("name", "keys", "reported"),
    [
        ("MEDIA_PREFIX", ["MEDIA_PATH"], True),
        ("MEDIA_PATH", ["MEDIA_PATH"], False),
        ("OTHER_PREFIX", ["MEDIA_PATH"], False),
        ("AWS_REGION", ["AWS_ACCESS_KEY_ID"], False),
        ("MEDIA_PREFIX", None, False),
    ],
)
def test_the_keys_of_objects_beside_are_variables(
    name: str, keys: list[str] | None, reported: bool
) -> None:
    source = [{"configMapRef": {"name": "media"}}]
    value = script(f"aws s3 rm s3://a/${name}", "registry.example.com/tools:1", envFrom=source)
    beside = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "media"}}
    objects = [] if keys is None else [{**beside, "data": dict.fromkeys(keys, "a")}]
    assert len(found_beside("JW543", value, *objects)) == reported
