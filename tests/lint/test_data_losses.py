"""The limits of the rules for commands that delete data."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.lint.effects import effects
from support.lint.linted_jobs import cron_job, fields, found, job, with_metadata

CLAIM = {"persistentVolumeClaim": {"claimName": "data"}}


def running(
    text: str,
    shell: str = "bash",
    volume: dict[str, Any] | None = None,
    env: tuple[dict[str, Any], ...] = (),
    **spec: Any,
) -> dict[str, Any]:
    """A Job that runs a script with a volume at /data, a claim unless another one is given."""
    main: dict[str, Any] = {
        "name": "main",
        "image": "registry.example.com/tools:1",
        "command": [shell, "-c", text],
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
        "env": [{"name": "OTHER", "value": "a"}, *env],
    }
    volumes = [{"name": "data", **(CLAIM if volume is None else volume)}]
    return job({"containers": [main], "volumes": volumes}, **spec)


@pytest.mark.parametrize(
    ("words", "loss", "targets"),
    [
        ("rm -rf /a /b", "files", ["/a", "/b"]),
        ("find /a /b -mtime +7 -delete", "expiry", ["/a"]),
        ("find /a -name x -exec rm {} ;", "expiry", ["/a"]),
        ("aws --profile ops s3 sync /a s3://b --delete", "mirror", ["s3://b"]),
        ("rclone sync /a remote:b", "mirror", ["remote:b"]),
        ("gsutil -m rsync -d -r /a gs://b", "mirror", ["gs://b"]),
        ("mc mirror --remove /a s3/b", "mirror", ["s3/b"]),
        ("rsync -a --delete /a/ host:/b/", "mirror", ["host:/b/"]),
        ("restic forget --keep-last 3", "expiry", []),
        ("php artisan migrate:fresh", "reset", []),
        ("python manage.py flush --no-input", "reset", []),
        ("bundle exec rails db:reset", "reset", []),
        ("redis-cli -h cache FLUSHALL", "reset", []),
        ("mkfs.ext4 /dev/sdb", "reset", ["/dev/sdb"]),
        ("git push -f origin main", "push", []),
        ("xargs -r rm -f", "expiry", []),
        ("rclone copy /a remote:b", None, None),
        ("rclone sync --backup-dir remote:old /a remote:b", None, None),
        ("rsync -a /a/ /b/", None, None),
        ("aws s3 sync /a s3://b", None, None),
        ("aws s3 sync /a s3://b --delete --dryrun", None, None),
        ("restic forget --dry-run --keep-last 3", None, None),
        ("git push --force-with-lease origin main", None, None),
        ("npx prisma migrate deploy", None, None),
        ("acme rm -rf /a", None, None),
        ("", None, None),
    ],
)
def test_a_command_has_the_losses_of_its_program(
    words: str, loss: str | None, targets: list[str] | None
) -> None:
    result = effects(words.split())
    assert (result and result.loss, result and list(result.targets)) == (loss, targets)


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        ("DROP DATABASE shop", "DROP DATABASE"),
        ("truncate orders;", "TRUNCATE ORDERS"),
        ("TRUNCATE sessions", None),
        ("DROP TABLE IF EXISTS old_orders", None),
        ("DELETE FROM orders;", "DELETE FROM"),
        ("DELETE FROM orders WHERE id = 1;", "DELETE FROM"),
        ("DELETE FROM orders WHERE 1=1;", "DELETE FROM"),
        ("DROP TABLE IF EXISTS orders;", "DROP TABLE"),
        ("MATCH (n) DETACH DELETE n", "DETACH DELETE"),
        ("ALTER TABLE orders DROP COLUMN note", None),
    ],
)
def test_sql_loses_data_by_some_statements(sql: str, shown: str | None) -> None:
    result = effects(["psql", "-h", "db", "-c", sql])
    assert (result and result.shown) == shown


DUMP = "pg_dump shop > /data/a.sql"
OLD = "find /data -mtime +7 -delete"


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (f"{DUMP}\n{OLD}", True),
        (f"{DUMP} || echo failed\n{OLD}", True),
        (f"set -e\n{DUMP} && gzip /data/a.sql\n{OLD}", True),
        (f"set -e\npg_dump shop | gzip > /data/a.gz\n{OLD}", True),
        (f"for each in a b; do {DUMP}; done; {OLD}", True),
        ("pg_dump shop > /data/a; ls -t /data | tail -n +8 | xargs rm", True),
        ("cp -a /data/in /data/out; rm -rf /data/in", True),
        ("cd /data/old; rm -rf *", True),
        ("cd /data/old; find . -delete", True),
        ("download /work; rclone sync /work remote:b", True),
        ("restic backup /data; restic forget --keep-last 3 --prune", True),
        ("pg_dump shop > /tmp/a; dropdb shop", True),
        ("pg_dump shop > /data/a; ls /data | tail -n +8 | xargs -I {} rm /data/{}", True),
        ("pg_dump shop > /data/a; for f in $(ls -t /data | tail -n +8); do rm $f; done", True),
        ("kubectl exec db-0 -- pg_dump shop > /data/a; find /data -mtime +7 -delete", True),
        ("pg_dump shop > /data/a && ls /data | tail -n +8 | xargs rm", False),
        (f"set -e\n{DUMP}\n{OLD}", False),
        (f"set -eo pipefail\npg_dump shop | gzip > /data/a.gz\n{OLD}", False),
        (f"{DUMP} && {OLD}", False),
        (f"{DUMP} || exit 1\n{OLD}", False),
        (f"{DUMP} || {{ echo failed; exit 1; }}\n{OLD}", False),
        (f"if {DUMP}; then {OLD}; fi", False),
        (f"{DUMP}\n[ -s /data/a.sql ] && {OLD}", False),
        (f"{DUMP}\n[ -s /data/a.sql ] || exit 1\n{OLD}", False),
        (f"{DUMP}\nif [ -s /data/a.sql ]; then {OLD}; fi", False),
        (f"{DUMP}\ncode=$?\n{OLD}\nexit $code", True),
        ("cp -a /data/in /data/out; rm -rf /tmp/scratch", False),
        ("make /data/a.csv; load /data/a.csv; rm /data/a.csv", False),
        ("aws s3 cp /data/a.csv s3://b/; rm /data/a.csv", True),
        ("cd /data/old && rm -rf *", False),
        ("cd /data/old || exit 0; rm -rf *", False),
        ("pulumi stack select a; pulumi destroy --yes", True),
        ("kubectl config use-context a; helm uninstall web", True),
        ("cd /data; rm -rf old", False),
        ("restic unlock; restic forget --keep-last 3 --prune", False),
        (f"mkdir -p /data/x; {OLD}", False),
        (f"set -e\nsave() {{ {DUMP}; ls -l; }}\nsave || exit 1\n{OLD}", True),
        (f"set -e\nsave() {{ {DUMP}; ls -l; }}\nsave\n{OLD}", False),
        (f"save() {{ {DUMP}; echo saved; }}\nsave && {OLD}", True),
        (f"save() {{ {DUMP}; }}\nsave && {OLD}", False),
        (f"save() {{ {DUMP} || return 1; echo saved; }}\nsave && {OLD}", False),
        (f"set -e\nif ! {DUMP}; then echo failed; fi\n{OLD}", True),
        (f"set -e\nif ! {DUMP}; then echo failed; exit 1; fi\n{OLD}", False),
        (f"if {DUMP}; then echo saved; elif true; then {OLD}; fi", True),
        (f"set +e\n{DUMP}\nset -e\n{OLD}", True),
        (f"set -e\n{DUMP} &\nwait\n{OLD}", True),
        (f"set -e\n{DUMP} &\nwait $!\n{OLD}", False),
        (f"({DUMP}; exit 1) && {OLD}", False),
        (f"(set -e; {DUMP}; echo saved) && {OLD}", True),
        (f"{DUMP}\nif [ $? -ne 0 ]; then exit 1; fi\n{OLD}", False),
        (f"{DUMP}\nif [ $? -ne 0 ]; then echo failed; fi\n{OLD}", True),
        (f"{DUMP}\ncode=$?\n[ $code -eq 0 ] && {OLD}", False),
        (f"for each in a b; do {DUMP} || continue; {OLD}; done", False),
        (f"until {DUMP}; do sleep 5; done; {OLD}", False),
        (f"case $1 in save) {DUMP} ;; esac\n{OLD}", True),
        (f"set -e\ntrap '{OLD}' EXIT\n{DUMP}", True),
        (f"trap 'exit 1' ERR\n{DUMP}\n{OLD}", False),
        (f"clean() {{ {OLD}; }}\nset -e\ntrap clean EXIT\n{DUMP}", True),
        (f"clean() {{ {OLD}; }}\n{DUMP}", False),
        ("velero backup create a || true; helm uninstall shop", True),
        (
            "aws ec2 create-snapshot --volume-id $V || true\naws ec2 delete-volume --volume-id $V",
            True,
        ),
        (
            "curl -o /data/new.csv a\npsql -c 'TRUNCATE a'\npsql -c '\\copy a from /data/new.csv'",
            True,
        ),
        ("set -e\ncurl -o /data/new.csv a\npsql -c 'TRUNCATE a'\nload /data/new.csv", False),
        ("index > /data/new || true; mv /data/new /data/index.json", True),
        ("index > /data/new && mv /data/new /data/index.json", False),
        ("index > /data/new || true; mv /data/new /data/index-$(date +%F).json", False),
        ("index > /tmp/new; mv /tmp/new /tmp/index.json", False),
        ("mysqldump shop > /tmp/d || echo failed; aws s3 cp /tmp/d s3://b/latest.sql", True),
        ("psql -c '\\copy a to /data/a'; psql -c 'DELETE FROM a WHERE t < 1'", True),
        ("psql -c '\\copy a to /data/a'; psql -c 'DELETE FROM b WHERE t < 1'", False),
        (f"a() {{ b; b; }}\nb() {{ a; a; }}\na; {DUMP}; {OLD}", True),
        (f"echo start; {OLD}", False),
    ],
)
def test_a_deletion_depends_on_the_steps_before_it(text: str, reported: bool) -> None:
    assert len(found("JW260", running(text))) == reported


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("set -e; export S=$(aws rds create-db-snapshot a); aws rds delete-db-instance a", True),
        ("set -e; f() { local S=$(velero backup create a); helm uninstall b; }; f", True),
        ("set -e; S=$(aws rds create-db-snapshot a); aws rds delete-db-instance a", False),
        ("set -e; echo $(velero backup create a); helm uninstall b", True),
        ("set -e; S=$(velero backup create a) || exit 1; helm uninstall b", False),
        ("set -e; export S=$(velero backup create a); [ -n $S ]; helm uninstall b", False),
        ("set -e; for i in $(velero backup create a); do helm uninstall $i; done", False),
        ("set -e; export C=$(kubectl config current-context); helm uninstall b", False),
        ("set -e; export S=$(aws s3 ls s3://b/); aws s3 rm --recursive s3://b/old", False),
    ],
)
def test_the_failure_of_a_substitution_is_seen_or_not(text: str, reported: bool) -> None:
    assert len(found("JW260", running(text))) == reported


@pytest.mark.parametrize(
    ("text", "once", "again"),
    [
        ("dropdb shop; createdb shop; aws s3 cp s3://b/a /tmp/a; psql shop -f /tmp/a", 1, 1),
        ("set -e; psql -c 'DROP SCHEMA a CASCADE'; curl -fO https://b/a.sql; psql -f a.sql", 1, 1),
        ("set -e; psql -c 'TRUNCATE a'; curl -f https://b/a | psql -c '\\copy a from stdin'", 1, 1),
        ("redis-cli flushall; curl -f https://b/a | redis-cli --pipe", 1, 1),
        ("set -e; kubectl delete ns a; velero restore create --from-backup a", 1, 1),
        ("set -e; rm -rf /data/*; restic restore latest --target /data", 1, 1),
        ("set -e; rm -rf /data/site; git clone https://a/b /data/site", 0, 1),
        ("set -e; D=/data; rm -rf $D/*; curl -f https://a/b.tgz | tar xz -C $D", 0, 1),
        (
            "set -e; aws s3 cp s3://b/a /tmp/a; dropdb shop; createdb shop; psql shop -f /tmp/a",
            0,
            0,
        ),
        ("set -e; dropdb shop; createdb shop; psql shop -f /data/a.sql", 0, 0),
        (
            "set -e; pg_dump -f /data/old shop; dropdb shop; curl -fo /tmp/a b://c; psql -f /tmp/a",
            0,
            0,
        ),
        ("set -e; dropdb shop; createdb shop; curl -f https://alerts/done", 0, 0),
        (
            "set -e; git clone https://a/b /data/new; rm -rf /data/site; mv /data/new /data/site",
            0,
            0,
        ),
        (
            "set -e; mv /data/site /data/last; rm -rf /data/site; git clone https://a/b /data/site",
            0,
            0,
        ),
        ("set -e; curl -fI https://a/b; rm -rf /data/site; curl -fo /data/site https://a/b", 0, 0),
        ("set -e; rm -rf /data/cache; git clone https://a/b /data/cache", 0, 0),
        ("set -e; rm -rf /data/site; git clone https://a/b /tmp/site", 0, 0),
    ],
)
def test_new_data_is_there_before_the_old_is_deleted(text: str, once: int, again: int) -> None:
    assert len(found("JW260", running(text))) == once
    assert len(found("JW260", cron_job(running(text)))) == again


def interpreted(*command: str) -> dict[str, Any]:
    """A Job that gives its program as text, with a claim at /data."""
    value = running("true")
    value["spec"]["template"]["spec"]["containers"][0]["command"] = list(command)
    return value


SAVE = '["pg_dump", "-f", "/data/a.sql", "shop"]'
RESET = 'subprocess.run(["dropdb", "shop"], check=True)'


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (f"import subprocess\nsubprocess.run({SAVE})\n{RESET}", True),
        (f"from subprocess import run\nrun({SAVE})\nrun(['dropdb', 'shop'])", True),
        (f"import subprocess\nr = subprocess.run({SAVE})\nprint(r)\n{RESET}", True),
        ("import os\nos.system('pg_dump shop > /data/a.sql')\nos.system('dropdb shop')", True),
        ("import os, shutil\nos.system('restic backup /data/in')\nshutil.rmtree('/data/in')", True),
        (f"import subprocess\ndef save():\n    subprocess.call({SAVE})\nsave()\n{RESET}", True),
        (f"import subprocess\ntry:\n    subprocess.run({SAVE}, check=True)\nexcept Exception as e:\n"
         f"    print(e)\n{RESET}", True),
        (f"import subprocess\nsubprocess.run({SAVE}, check=True)\n{RESET}", False),
        (f"import subprocess\nsubprocess.check_call({SAVE})\n{RESET}", False),
        (f"import subprocess\nr = subprocess.run({SAVE})\nif r.returncode: exit(1)\n{RESET}", False),
        (f"import subprocess\nif subprocess.call({SAVE}) == 0:\n    {RESET}", False),
        (f"import subprocess\ntry:\n    subprocess.run({SAVE}, check=True)\n    {RESET}\n"
         "except Exception as e:\n    print(e)", False),
        (f"import subprocess\ntry:\n    subprocess.run({SAVE}, check=True)\nexcept OSError:\n    raise\n"
         f"{RESET}", False),
        ("import os\nif os.system('pg_dump shop > /data/a.sql'): exit(1)\nos.system('dropdb shop')", False),
        (f"import subprocess\nsubprocess.run(['ls'])\n{RESET}", False),
        ("import subprocess\nsubprocess.run(", False),
        (f"import subprocess\nsubprocess.run({SAVE}, check=False)\n{RESET}", True),
    ],
)  # fmt: skip
def test_a_program_goes_on_after_a_program_that_it_starts(text: str, reported: bool) -> None:
    assert len(found("JW260", interpreted("python3", "-c", text))) == reported
    here = f"set -e\npython3 - <<'EOF'\n{text}\nEOF\n"
    assert len(found("JW260", running(here))) == reported


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("pg_dump -f /data/a.sql shop\ndropdb shop", True),
        ("$ErrorActionPreference = 'Stop'\npg_dump -f /data/a.sql shop\ndropdb shop", True),
        ("Copy-Item -Path /data/in -Destination /data/out -Recurse\nRemove-Item -Recurse /data/in", True),
        ("$ErrorActionPreference = 'Stop'\nCopy-Item /data/in /data/out\nRemove-Item /data/in", False),
        ("Copy-Item /data/in /data/out -ErrorAction Stop\nRemove-Item /data/in", False),
        ("pg_dump -f /data/a.sql shop\nif ($LASTEXITCODE -ne 0) { exit 1 }\ndropdb shop", False),
        ("$ErrorActionPreference = 'Stop'; $PSNativeCommandUseErrorActionPreference = $true\n"
         "pg_dump -f /data/a.sql shop\ndropdb shop", False),
        ("pg_dump -f /data/a.sql shop\nif (Test-Path /data/a.sql) {\ndropdb shop\n}", False),
        ("Write-Host start\ndropdb shop", False),
    ],
)  # fmt: skip
def test_powershell_goes_on_after_a_failure(text: str, reported: bool) -> None:
    assert len(found("JW260", interpreted("pwsh", "-Command", text))) == reported


def test_a_deletion_of_what_is_gone_with_the_pod_is_harmless() -> None:
    text = "cp -a /data/in /other; rm -rf /data/in"
    assert found("JW260", running(text, volume={"emptyDir": {}})) == []
    assert len(found("JW260", running(text))) == 1


def test_a_path_may_be_in_a_variable() -> None:
    text = 'D=/data\npg_dump shop > "$D/a.sql"\nfind "$D" -mtime +7 -delete'
    assert len(found("JW260", running(text))) == 1
    assert found("JW260", running(text, volume={"emptyDir": {}})) == []


def test_a_computed_name_of_a_temporary_file_is_gone_with_the_pod() -> None:
    text = 'F={0}/a-$(date +%F).gz\npg_dump shop | gzip > "$F"\naws s3 cp "$F" s3://b/ && rm "$F"'
    assert found("JW260", running(text.format("/tmp"))) == []
    assert len(found("JW260", running(text.format("/data")))) == 1


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("aws s3 ls s3://b/x/ | head -n -7 | while read f; do aws s3 rm s3://b/x/$f; done", False),
        ("aws s3 sync /data s3://b/x/\naws s3 rm --recursive s3://b/x/old/", True),
    ],
)
def test_without_a_list_nothing_is_deleted(text: str, reported: bool) -> None:
    assert bool(found("JW260", running(text))) is reported


OPTIONAL = {
    "name": "T",
    "valueFrom": {"configMapKeyRef": {"name": "a", "key": "b", "optional": True}},
}


@pytest.mark.parametrize(
    ("text", "env", "reported"),
    [
        ("rm -rf /data/$T", (), True),
        ("rm -rf /data/${T}/*", (), True),
        ('rm -rf "$T"/*', (), True),
        ("rm -rf /data/$T", (OPTIONAL,), True),
        ("T=$(ls /in | head -1); rm -rf /data/$T", (), True),
        ("aws s3 rm --recursive s3://b/$T", (), True),
        ("T=$(latest)\nfind /data -type f ! -name $T -delete", (), True),
        ('N=$(kubectl get ns -o name)\nkubectl delete pvc --all -n "$N"', (), True),
        ("rm -rf /data/$(cat /state/old)", (), True),
        ("find $LOGS -mtime +3 -delete", (), True),
        ("[ -n $T ] && rm -rf /data/$T", (OPTIONAL,), True),
        ("set -e; export T=$(latest); rm -rf /data/$T", (), True),
        ("set -e; f() { local -r T=$(latest); rm -rf /data/$T; }; f", (), True),
        ("set -e; export A=b T; T=$(latest); rm -rf /data/$T", (), False),
        ("set -e; export T=$(latest); rm -rf /data/${T:?}", (), False),
        ('set -e; readonly D=$(latest); cd "$D"; rm -rf ./*', (), True),
        ('set -e; D=$(latest); cd "$D"; rm -rf ./*', (), False),
        ('export D=$(latest); cd "$D"; cd old; rm -rf ./*', (), False),
        ('set -e; export U=$(vault read u); psql "$U" -c "DROP SCHEMA shop CASCADE"', (), True),
        ('set -e; U=$(vault read u); psql "$U" -c "DROP SCHEMA shop CASCADE"', (), False),
        ('set -e; export C=$(context); kubectl --context "$C" delete ns shop', (), True),
        ("set -e; rm -rf /data/$(cat /state/old)/tmp", (), False),
        ("rm -rf /data/${T:?}", (), False),
        ("rm -rf /data/${T:-none}", (), False),
        ("set -u; rm -rf /data/$T", (), False),
        ("set -e; T=$(latest); rm -rf /data/$T", (), False),
        ('[ -n "$T" ] || exit 1; rm -rf /data/$T', (OPTIONAL,), False),
        ('if [ -z "$T" ]; then exit 1; fi; rm -rf /data/$T', (), False),
        ("rm -rf /data/$T", ({"name": "T", "value": "a"},), False),
        ("for T in a b; do rm -rf /data/$T; done", (), False),
        ("read -r T < list; rm -rf /data/$T", (), False),
        (". ./settings; rm -rf /data/$T", (), False),
        ("rm -rf /data/tmp-$T", (), False),
        ("rm -rf $T", (), False),
        ("rm -rf /tmp/$T", (), False),
        ("kubectl delete pod -n $T web", (), False),
    ],
)
def test_an_empty_variable_widens_a_deletion(
    text: str, env: tuple[dict[str, Any], ...], reported: bool
) -> None:
    assert len(found("JW261", running(text, env=env))) == reported


@pytest.mark.parametrize(
    ("annotations", "text", "reported"),
    [
        ({"helm.sh/hook": "post-upgrade"}, "dropdb shop; createdb shop", True),
        ({"argocd.argoproj.io/hook": "PreSync"}, "psql -c 'TRUNCATE orders'", True),
        ({"helm.sh/hook": "pre-upgrade"}, "psql shop <<EOF\nDROP SCHEMA public;\nEOF", True),
        ({"helm.sh/hook": "pre-upgrade"}, "psql shop <<EOF\nSELECT 1;\nEOF", False),
        ({"helm.sh/hook": "post-upgrade"}, "redis-cli -h cache FLUSHALL", False),
        ({"helm.sh/hook": "post-upgrade"}, "echo flushall | redis-cli", True),
        ({"helm.sh/hook": "post-upgrade"}, "echo 'DROP TABLE orders;' | psql shop", True),
        ({"helm.sh/hook": "post-upgrade"}, "cat <<EOF | mysql\nTRUNCATE orders;\nEOF", True),
        ({"helm.sh/hook": "post-upgrade"}, "psql <<< 'DROP SCHEMA public'", True),
        ({"helm.sh/hook": "post-upgrade"}, "kubectl -n shop delete pvc/data-db-0", True),
        ({"helm.sh/hook": "post-upgrade"}, "kubectl -n shop delete pod/db-0", False),
        ({"helm.sh/hook": "post-upgrade"}, "curl -X DELETE http://search:9200/orders", True),
        ({"helm.sh/hook": "post-upgrade"}, "curl -X DELETE http://api:8080/orders/1", False),
        ({"helm.sh/hook": "post-upgrade"}, "terraform apply -destroy -auto-approve", True),
        ({"helm.sh/hook": "post-upgrade"}, "kafka-topics.sh --delete --topic a", True),
        ({"helm.sh/hook": "post-upgrade"}, "kafka-topics.sh --describe --topic a", False),
        ({"helm.sh/hook": "post-upgrade"}, "az storage blob delete-batch -s uploads", True),
        ({"helm.sh/hook": "post-install"}, "dropdb shop; createdb shop", False),
        ({"helm.sh/hook": "post-delete"}, "dropdb shop", False),
        ({"helm.sh/hook": "post-upgrade"}, "if [ $RESET ]; then dropdb shop; fi", False),
        ({"helm.sh/hook": "post-upgrade"}, "createdb shop; migrate", False),
        ({}, "dropdb shop; createdb shop", False),
        ({}, "mkfs.ext4 /dev/sdb; mount /dev/sdb /data", True),
        ({}, "blkid /dev/sdb || mkfs.ext4 /dev/sdb", False),
        ({}, "dd if=/images/a of=/dev/sdb", True),
        ({}, "dd if=/dev/zero of=/data/swap", False),
    ],
)
def test_a_store_is_emptied_with_each_run(
    annotations: dict[str, str], text: str, reported: bool
) -> None:
    assert len(found("JW262", with_metadata(running(text), annotations=annotations))) == reported


@pytest.mark.parametrize(
    ("text", "volume", "reported"),
    [
        ("rm -rf /data/parts/*", None, True),
        ("python a.py > /data/out.csv", None, True),
        ("cp /tmp/a /data/a", None, True),
        ("tar czf /data/a.tgz /tmp/a", None, True),
        ("mkdir -p /data/out", None, False),
        ("run >> /data/log", None, False),
        ("python a.py > /data/out-$JOB_COMPLETION_INDEX.csv", None, False),
        ("python a.py > /data/out-$(hostname).csv", None, False),
        ("flock /data/lock python a.py > /data/out.csv", None, False),
        ("if [ $JOB_COMPLETION_INDEX = 0 ]; then rm -rf /data/parts/*; fi", None, False),
        ("python a.py > /data/out.csv", {"emptyDir": {}}, False),
        ("python a.py > /tmp/out.csv", None, False),
    ],
)
def test_pods_share_the_paths_of_a_claim(
    text: str, volume: dict[str, Any] | None, reported: bool
) -> None:
    together = running(text, volume=volume, completions=4, parallelism=4, completionMode="Indexed")
    alone = running(text, volume=volume, completions=4, completionMode="Indexed")
    assert len(found("JW263", together)) == reported
    assert found("JW263", alone) == []


@pytest.mark.parametrize(
    ("text", "volume", "reported"),
    [
        ("pg_dump shop > /data/shop.sql", None, True),
        ("pg_dump shop | gzip > /data/shop.gz", None, True),
        ("pg_dump -f /data/shop.sql shop", None, True),
        ("kubectl exec db-0 -- pg_dump shop > /data/shop.sql", None, True),
        ("pg_dump shop > /data/shop-$(date +%F).sql", None, False),
        ("pg_dump shop > /data/new; mv /data/new /data/shop.sql", None, False),
        ("pg_dump shop > /data/shop.sql; aws s3 cp /data/shop.sql s3://b/", None, False),
        ("pg_dump shop > /data/shop.sql", {"emptyDir": {}}, False),
        ("date > /data/last", None, False),
    ],
)
def test_a_dump_replaces_the_one_of_the_last_run(
    text: str, volume: dict[str, Any] | None, reported: bool
) -> None:
    once = running(text, volume=volume)
    assert len(found("JW264", cron_job(once))) == reported
    assert found("JW264", once) == []


def test_find_evaluates_from_left_to_right() -> None:
    def deleting(*words: str) -> dict[str, Any]:
        main = {"name": "main", "image": "busybox", "command": ["find", "/a", *words]}
        return job({"containers": [main]})

    field = "template.spec.containers[0].command[0]"
    assert fields("JW265", deleting("-delete", "-mtime", "+2")) == [field]
    assert fields("JW265", deleting("-mtime", "+2", "-delete")) == []
    assert fields("JW265", deleting("-delete")) == []
