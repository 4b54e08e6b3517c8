"""Commands that delete more than is meant, steps that cannot run twice, hosts and names that are not there."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import cron_job, fields, fields_beside, job, stored, with_metadata


def running(text: str, *, volume: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """A Job that runs a script with a volume at /data."""
    main = {
        "name": "main",
        "image": "registry.example.com/tools:1",
        "command": ["sh", "-c", text],
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    }
    return job(
        {"containers": [main], "volumes": [{"name": "data", **(volume or {"emptyDir": {}})}]},
        **spec,
    )


CLAIM = {"persistentVolumeClaim": {"claimName": "data"}}


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("kubectl -n a delete pv --all", True),
        ("kubectl delete ns,pods --all=true", True),
        ("kubectl delete pods --all -A", True),
        ("oc delete projects --all", True),
        ("kubectl -n a delete pvc --all", False),
        ("kubectl delete pv -l app=a", False),
        ("kubectl delete ns --all --dry-run=client", False),
        ("kubectl get pv --all-namespaces", False),
        ("rclone sync /data remote:b", True),
        ("aws s3 sync /data/out s3://b --delete", True),
        ("rsync -a --delete /data/ host:/b/", True),
        ("rclone copy /data remote:b", False),
        ("curl -fo /data/a http://a; rclone sync /data remote:b", False),
        ("cd /data; download; rclone sync /data remote:b", False),
        ("rclone sync /other remote:b", False),
    ],
)
def test_a_deletion_is_not_wider_than_it_seems(text: str, reported: bool) -> None:
    assert bool(fields("JW270", running(text))) is reported


LIST = "aws ec2 describe-volumes --query 'Volumes[].VolumeId' --output text"
DELETE = "aws ec2 delete-volume --volume-id"


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("git clone https://a/b && cd b && git push --mirror https://c/b", True),
        ("git clone https://a/b b; git -C b push --prune https://c/b 'heads/*'", True),
        ("git clone --mirror https://a/b && cd b.git && git push --mirror https://c/b", False),
        ("git clone https://a/b && cd b && git push https://c/b main", False),
        ("git clone a; git fetch origin '+refs/*:refs/*'; git push --mirror https://c/b", False),
        ("kubectl apply --prune --all -f /manifests", True),
        ("kubectl apply --prune -f /manifests", True),
        ("kubectl apply --prune -l app=shop -f /manifests", False),
        ("kubectl apply --prune --all --prune-allowlist=core/v1/ConfigMap -f /manifests", False),
        ("kubectl apply --prune --applyset=shop -n shop -f /manifests", False),
        ("kubectl apply -f /manifests", False),
        ("kubectl delete pvc --all", True),
        ("kubectl delete all --all --context preview", False),
        ("kubectl delete pods --all -l app=a", False),
        ("kubectl delete workflows --all", False),
        ("redis-cli -h cache -n 3 FLUSHALL", True),
        ("redis-cli -u redis://cache:6379/3 flushall", True),
        ("redis-cli -h cache -n 3 FLUSHDB", False),
        ("redis-cli -h cache FLUSHALL", False),
        ("psql shop -c 'TRUNCATE orders CASCADE'", True),
        ("psql shop <<EOF\nTRUNCATE TABLE a,\n b RESTART IDENTITY CASCADE;\nEOF", True),
        ("psql shop -c 'TRUNCATE orders RESTART IDENTITY'", False),
        ("psql shop -c 'TRUNCATE orders; DROP VIEW a CASCADE'", False),
        (f"{LIST} | xargs -n 1 {DELETE}", True),
        (f"for id in $({LIST}); do {DELETE} $id; done", True),
        (f"ids=$({LIST})\nfor id in $ids; do {DELETE} $id; done", True),
        (f'{LIST} | tr "\\t" "\\n" | while read -r id; do {DELETE} "$id"; done', True),
        (f"while read id; do {DELETE} $id; done < <({LIST})", True),
        ("gcloud compute disks list --format='value(name)' | xargs gcloud compute disks delete -q", True),
        ("az disk list --query '[].id' -o tsv | xargs az disk delete --yes --ids", True),
        ("aws s3 ls | awk '{print $3}' | xargs -I{} aws s3 rb --force s3://{}", True),
        (f"{LIST} --filters Name=status,Values=available | xargs -n 1 {DELETE}", False),
        (f"{LIST.replace('[]', '[?Size>`9`]')} | xargs -n 1 {DELETE}", False),
        (f"{LIST} | grep vol-0 | xargs -n 1 {DELETE}", False),
        (f"for id in $({LIST}); do if unused $id; then {DELETE} $id; fi; done", False),
        (f"for id in $({LIST}); do unused $id && {DELETE} $id; done", False),
        (f"for r in $(aws ec2 describe-regions); do for i in $({LIST} --filters a); do {DELETE} $i; done; done",
         False),
        (f"{LIST} | xargs -n 1 echo", False),
        ("az disk list -g preview --query '[].id' -o tsv | xargs az disk delete --ids", False),
        ("gcloud compute disks list --filter=-users:* | xargs gcloud compute disks delete", False),
        ("aws s3 ls s3://b | awk '{print $4}' | xargs -I{} aws s3 rb s3://{}", False),
    ],
)  # fmt: skip
def test_a_command_deletes_what_it_names(text: str, reported: bool) -> None:
    assert bool(fields("JW270", running(text))) is reported


def test_a_mirror_of_a_filled_volume_is_meant() -> None:
    text = "rclone sync /data remote:b"
    assert not fields("JW270", running(text, volume=CLAIM))
    filled = running(text)
    mount = {"name": "data", "mountPath": "/x"}
    filled["spec"]["template"]["spec"]["initContainers"] = [
        {"name": "fill", "image": "a:1", "volumeMounts": [mount]}
    ]
    assert not fields("JW270", filled)
    mount["readOnly"] = True  # type: ignore[assignment]
    assert fields("JW270", filled)


def backing_up(name: str, text: str, repository: str) -> dict[str, Any]:
    inner = running(text, volume=CLAIM)
    (main,) = inner["spec"]["template"]["spec"]["containers"]
    main["env"] = [{"name": "RESTIC_REPOSITORY", "value": repository}]
    return with_metadata(cron_job(inner), name=name)


@pytest.mark.parametrize(
    ("text", "repository", "reported"),
    [
        ("restic forget --keep-last 2 --prune", "s3:a", True),
        ("restic forget --keep-last 2 --host b", "s3:a", False),
        ("restic forget --keep-last 2 --tag b", "s3:a", False),
        ("restic forget 4bba301e", "s3:a", False),
        ("restic forget --keep-last 2", "s3:b", False),
    ],
)
def test_forget_spares_the_snapshots_of_other_cron_jobs(
    text: str, repository: str, reported: bool
) -> None:
    other = backing_up("other", "restic backup /data", "s3:a")
    assert bool(fields_beside("JW270", backing_up("own", text, repository), other)) is reported
    assert not fields_beside("JW270", backing_up("own", text, repository))


@pytest.mark.parametrize(
    ("name", "text", "reported"),
    [
        ("backup", "rsync -a --delete /backup/ /data/", True),
        ("backup", "aws s3 sync s3://shop-backup /data --delete", True),
        ("backup", "rsync -a --delete /data/ /backup/", False),
        ("backup-restore", "rsync -a --delete /backup/ /data/", False),
        ("site", "rsync -a --delete /backup/ /data/", False),
    ],
)
def test_a_mirror_goes_to_the_backup(name: str, text: str, reported: bool) -> None:
    value = with_metadata(cron_job(running(text, volume=CLAIM)), name=name)
    assert bool(fields("JW270", value)) is reported
    assert not fields("JW270", with_metadata(running(text, volume=CLAIM), name=name))


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("pg_dump -f /tmp/a shop; aws s3 cp /tmp/a s3://b/ --acl public-read", True),
        ("gsutil cp -a public-read /tmp/shop.sql gs://b/", True),
        ("mc anonymous set download m/backups", True),
        ("pg_dump -f /tmp/a shop; aws s3 cp /tmp/a s3://b/ --acl private", False),
        ("aws s3 sync /site s3://b/ --acl public-read", False),
        ("mc cp /tmp/backup.tgz download/public", False),
    ],
)
def test_a_backup_is_not_for_everyone(text: str, reported: bool) -> None:
    assert bool(fields("JW272", running(text))) is reported


UPGRADE = {"helm.sh/hook": "pre-install,post-upgrade"}


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ('reset() { if [ "$1" = true ]; then dropdb shop; fi; }\nreset true', True),
        ('reset() { if [ "$1" = true ]; then dropdb shop; fi; }\nreset false', False),
        ('PURGE=yes\nif [ "$PURGE" = yes ]; then mc rb --force m/b; fi', True),
        ('PURGE=no\nif [ "$PURGE" = yes ]; then mc rb --force m/b; fi', False),
        ('PURGE=no\nif [ "$PURGE" != yes ]; then mc rb --force m/b; fi', True),
        ('PURGE=yes\nif [ "$PURGE" = yes ]; then a; else dropdb shop; fi', False),
        ('if [ "$PURGE" = yes ]; then dropdb shop; fi', False),
        ("if ! psql -c 'select 1 from a'; then dropdb shop; fi", False),
        ('[ "$PURGE" = yes ] && dropdb shop', False),
        ("for a in x y; do dropdb $a; done", True),
        ("mc rm -r --force m/bucket", True),
        ("mc rm -r --force m/bucket/old/2020", False),
        ("aws s3 rm --recursive s3://bucket/", True),
        ("rm -rf /data/cache", False),
        ("npx prisma db push --accept-data-loss", True),
        ("npx prisma db push", False),
        ("npx drizzle-kit push --force", True),
        ("console doctrine:schema:update --force", True),
        ("s3cmd rb --recursive s3://bucket", True),
    ],
)
def test_a_hook_of_each_upgrade_empties_no_store(text: str, reported: bool) -> None:
    value = with_metadata(running(text), annotations=UPGRADE)
    assert bool(fields("JW262", value)) is reported


INSERT = 'psql -c "INSERT INTO places (a) VALUES (1){}"'
LATER = "\ncurl -fsS http://search/reindex"


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (f"set -e\n{INSERT.format('')}{LATER}", True),
        (f"set -e\npsql -c 'UPDATE a SET sum = sum + 1'{LATER}", True),
        (f"set -e\npsql -c 'UPDATE a SET sum = 1'{LATER}", False),
        (f"set -e\npsql -c '\\copy a from /data/a'{LATER}", True),
        (f"set -e\npsql -c '\\copy a to /data/a'{LATER}", False),
        (f"set -e\nkafka-console-producer.sh --topic a{LATER}", True),
        (f"set -e\nredis-cli rpush a b{LATER}", True),
        (f"set -e\nredis-cli set a b{LATER}", False),
        (f"set -e\nkubectl create namespace a{LATER}", True),
        ("set -e\nkubectl create namespace a", False),
        (f"{INSERT.format('')}{LATER}", True),
        (f"set -e\npsql <<'EOF'\nINSERT INTO places VALUES (1);\nEOF{LATER}", True),
        (f"set -e\n{INSERT.format(' ON CONFLICT DO NOTHING')}{LATER}", False),
        (f"set -e\npsql -c 'DELETE FROM places'\n{INSERT.format('')}{LATER}", False),
        (f"set -e\n{INSERT.format('')}", False),
        (f"set -e\n{INSERT.format('')}\necho done", False),
        (f"set -e\n{INSERT.format('').replace('places', 'job_runs')}{LATER}", False),
    ],
)
def test_a_retry_inserts_no_row_again(text: str, reported: bool) -> None:
    assert bool(fields("JW271", running(text, backoffLimit=3))) is reported
    assert not fields("JW271", running(text, backoffLimit=0))


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("set -e\nkubectl create namespace a\nwork", True),
        ("createdb shop", True),
        ("set -e; mc mb m/b; work", True),
        ("set -e; helm install a b; work", True),
        ("psql -c 'CREATE DATABASE shop'", True),
        ("kubectl create namespace a || true", False),
        ("kafka-topics.sh --create --topic a", True),
        ("kafka-topics.sh --create --if-not-exists --topic a", False),
        ("mkdir /tmp/a", False),
        ("kubectl create ns a --dry-run=client -o yaml | kubectl apply -f -", False),
        ("mc mb --ignore-existing m/b", False),
        ("helm upgrade --install a b", False),
        ("psql -c 'CREATE TABLE IF NOT EXISTS a (b int)'", False),
        ("kubectl create configmap a-$(date +%s)", False),
        ("if ! kubectl get ns a; then kubectl create ns a; fi", False),
        ("createdb shop; work", False),
        ("set -e; dropdb --if-exists --force shop; createdb shop; work", False),
        ("set -e; dropdb --if-exists other; createdb shop; work", True),
        ("set -e; rm -rf /data/a; mkdir /data/a; work", False),
    ],
)
def test_what_exists_is_not_made_again(text: str, reported: bool) -> None:
    assert bool(fields("JW271", cron_job(running(text)))) is reported
    assert not fields("JW271", running(text, backoffLimit=0))


LOCKED = "L=/data/lock; [ -f $L ] && exit 0; touch $L; work; rm -f $L"


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (LOCKED, True),
        ("if [ -e /data/lock ]; then exit 1; fi; echo $$ > /data/lock; work; rm /data/lock", True),
        ("mkdir /data/lock || exit 0; work; rmdir /data/lock", True),
        ("if ! mkdir /data/lock; then exit 0; fi; work; rmdir /data/lock", True),
        ("while [ -f /data/lock ]; do sleep 1; done; touch /data/lock; work; rm /data/lock", True),
        (f"trap 'rm -f $L' EXIT; {LOCKED}", False),
        (f"find /data/lock -mmin +60 -delete; {LOCKED.replace('$L', '/data/lock')}", False),
        (LOCKED.replace("/data", "/tmp"), False),
        ("[ -f /data/done ] && exit 0; work; touch /data/done", False),
        ("touch /data/a; work; rm /data/a", False),
        ("flock -n /data/lock work", False),
    ],
)
def test_a_lock_does_not_outlive_its_run(text: str, reported: bool) -> None:
    assert bool(fields("JW271", cron_job(running(text, volume=CLAIM)))) is reported
    assert not fields("JW271", running(text, volume=CLAIM, backoffLimit=0))


def service(name: str, *ports: int, **spec: Any) -> dict[str, Any]:
    return stored("Service", name, spec={"ports": [{"port": each} for each in ports], **spec})


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("until nc -z shop-db 5432; do sleep 1; done", True),
        ("pg_isready -h shop-db", True),
        ("curl -f http://shop-db.default.svc/x", False),
        ("curl -f http://shop-db.example.com/x", False),
        ("until (echo > /dev/tcp/shop-db/5432); do sleep 1; done", False),
        ("until nc -z shop-db-headless 5433; do sleep 1; done", False),
        ("until nc -z shop-api 8081; do sleep 1; done", True),
        ("until nc -z shop-api 80; do sleep 1; done", False),
        ("curl -f http://shop-api:8080/x", True),
        ("nc -z other 5432", False),
        ("nc -z shop 5432", False),
        ("nc -z api-shop 80", True),
        ("echo shop-db", False),
    ],
)
def test_a_host_is_a_service_beside_the_job(text: str, reported: bool) -> None:
    services = service("shop-db-headless", 5432, clusterIP="None"), service("shop-api", 80)
    assert bool(fields_beside("JW706", running(text), *services)) is reported


def test_an_account_with_its_words_in_another_order_is_meant() -> None:
    value = job({"serviceAccountName": "backup-patch-sa"})
    role = stored("Role", "backup-patch-sa", version="rbac.authorization.k8s.io/v1")
    account = stored("ServiceAccount", "backup-sa-patch")
    assert fields_beside("JW701", value, account, role) == ["template.spec.serviceAccountName"]
    other = stored("ServiceAccount", "backup-sa")
    assert fields_beside("JW701", value, other, role) == []


@pytest.mark.parametrize(
    ("image", "context", "reported"),
    [
        ("python:3.12-alpine", {}, True),
        ("docker.io/library/alpine:3.20", {}, True),
        ("curlimages/curl:8.9.1", {}, True),
        ("curlimages/curl:8.9.1", {"runAsUser": 100}, False),
        ("python:3.12-alpine", {"runAsUser": 1000}, False),
        ("python:3.12-alpine", {"runAsNonRoot": False}, False),
        ("registry.example.com/python-app:1", {}, False),
    ],
)
def test_an_image_of_root_does_not_start_as_non_root(
    image: str, context: dict[str, Any], reported: bool
) -> None:
    main = {"name": "main", "image": image, "securityContext": context}
    value = job({"containers": [main], "securityContext": {"runAsNonRoot": True}})
    assert bool(fields("JW522", value)) is reported


@pytest.mark.parametrize(
    ("name", "schedule", "reported"),
    [
        ("sessions-hourly", "*/1 * * * *", True),
        ("hourly-sessions", "*/15 * * * *", True),
        ("hourly", "0 * * * *", False),
        ("hourly", "0,30 * * * *", False),
        ("nightly", "0 3 * * 1-5", False),
        ("nightly", "* 3 * * *", True),
        ("report-weekly", "0 3 * * *", True),
        ("report-weekly", "0 3 * * 1", False),
        ("report-daily", "0 3 1 * *", True),
        ("report-monthly", "0 3 1 * *", False),
        ("daily-to-weekly", "0 3 * * *", False),
        ("the-hourly-report", "* * * * *", False),
        ("report", "* * * * *", False),
    ],
)
def test_a_schedule_is_as_often_as_its_name_says(name: str, schedule: str, reported: bool) -> None:
    value = with_metadata(cron_job(job(), schedule=schedule), name=name)
    assert bool(fields("JW427", value)) is reported
