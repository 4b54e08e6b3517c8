"""Clean-ups that keep the wrong files, copies of what changes, and mistakes that end a script or its loop."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import cron_job, fields, job

CLAIM = {"persistentVolumeClaim": {"claimName": "data"}}


def running(text: str) -> dict[str, Any]:
    """A CronJob that runs a script with a claim at /data."""
    main: dict[str, Any] = {
        "name": "main",
        "image": "registry.example.com/tools:1",
        "command": ["bash", "-c", text],
        "volumeMounts": [
            {"name": "data", "mountPath": "/data"},
            {"name": "backup", "mountPath": "/backup"},
        ],
    }
    return cron_job(
        job(
            {
                "containers": [main],
                "volumes": [{"name": "data", **CLAIM}, {"name": "backup", **CLAIM}],
            }
        )
    )


CASES = [
    (
        "JW222",
        "set -e\naws s3 cp s3://dumps/latest.sql - | psql -v ON_ERROR_STOP=1 -d staging",
        "set -eo pipefail\naws s3 cp s3://dumps/latest.sql - | psql -v ON_ERROR_STOP=1 -d staging",
    ),
    (
        "JW222",
        "set -eu\npsql -v ON_ERROR_STOP=1 <<'SQL'\nBEGIN;\nUPDATE accounts SET balance = 0 WHERE closed;\nSQL",
        "set -eu\npsql -v ON_ERROR_STOP=1 <<'SQL'\nBEGIN;\nUPDATE accounts SET balance = 0 WHERE closed;\nCOMMIT;\nSQL",
    ),
    (
        "JW222",
        "set -eu\nfor s in 1 2 3; do\n  /app/export --shard $s &\ndone\nwait",
        'set -eu\npids=""\nfor s in 1 2 3; do\n  /app/export --shard $s &\n  pids="$pids $!"\ndone\nfor p in $pids; do wait $p; done',
    ),
    (
        "JW222",
        "set -eu\nfind /data/out -name '*.csv' -exec aws s3 cp {} s3://bucket/in/ \\;\nrm -f /data/out/*.csv",
        "set -eu\naws s3 cp --recursive /data/out s3://bucket/in/\nrm -f /data/out/*.csv",
    ),
    (
        "JW222",
        "set -eu\nfind /data/out -name '*.csv' -exec aws s3 cp {} s3://bucket/in/ \\;",
        "set -eu\nfind /data/out -name '*.csv' -print0 | xargs -0 -r -n1 -I{} aws s3 cp {} s3://bucket/in/",
    ),
    (
        "JW222",
        "set -eu\ngunzip -c /backup/latest.sql.gz | psql -v ON_ERROR_STOP=1 -d staging",
        "set -euo pipefail\ngunzip -c /backup/latest.sql.gz | psql -v ON_ERROR_STOP=1 -d staging",
    ),
    (
        "JW222",
        "kubectl exec db-0 -- pg_dump shop > /backup/shop.sql\nkubectl delete pvc data-db-0",
        "set -e\nkubectl exec db-0 -- pg_dump shop > /backup/shop.sql\nkubectl delete pvc data-db-0",
    ),
    (
        "JW222",
        'set -e\nmongorestore --drop --uri "$URI" --archive=/backup/latest.gz --gzip || true\necho ok',
        'set -e\nmongorestore --uri "$URI" --archive=/backup/latest.gz --gzip',
    ),
    (
        "JW222",
        "set -eu\n/app/import --all || true",
        "set -eu\n/app/import --all",
    ),
    (
        "JW222",
        "pg_dump -Fc shop > /data/shop.dump\naws s3 cp /data/shop.dump s3://b/shop.dump\nrm /data/shop.dump\naws s3 rm s3://b/old.dump",
        "set -e\npg_dump -Fc shop > /data/shop.dump\naws s3 cp /data/shop.dump s3://b/shop.dump\nrm /data/shop.dump\naws s3 rm s3://b/old.dump",
    ),
    (
        "JW222",
        "set -eu\npsql -X <<'SQL'\nUPDATE a SET x = 1;\nCALL refresh_totals();\nSQL",
        "set -eu\npsql -X -v ON_ERROR_STOP=1 <<'SQL'\nUPDATE a SET x = 1;\nCALL refresh_totals();\nSQL",
    ),
    (
        "JW222",
        "set -eu\npsql -X < /data/migrate.sql",
        "set -eu\npsql -X -v ON_ERROR_STOP=1 < /data/migrate.sql",
    ),
    (
        "JW222",
        'set -eu\nsqlcmd -S "$DBHOST" -i /data/nightly.sql',
        'set -eu\nsqlcmd -b -S "$DBHOST" -i /data/nightly.sql',
    ),
    (
        "JW222",
        "set -e\n/app/import --all | tee /data/import.log",
        "set -eo pipefail\n/app/import --all | tee /data/import.log",
    ),
    (
        "JW262",
        "set -eu\nphp artisan migrate:fresh --force --seed",
        "set -eu\nphp artisan migrate --force --seed",
    ),
    (
        "JW262",
        "set -eu\nDISABLE_DATABASE_ENVIRONMENT_CHECK=1 bundle exec rails db:schema:load",
        "set -eu\nbundle exec rails db:migrate",
    ),
    (
        "JW270",
        "set -euo pipefail\nCUTOFF=$(date -u -d '14 days ago' +%FT%TZ)\nOLD=$(aws ec2 describe-snapshots --owner-ids self --query \"Snapshots[?StartTime<='${CUTOFF}'].SnapshotId\" --output text)\nfor id in $OLD; do aws ec2 delete-snapshot --snapshot-id \"$id\"; done",
        "set -euo pipefail\nCUTOFF=$(date -u -d '14 days ago' +%FT%TZ)\nOLD=$(aws ec2 describe-snapshots --owner-ids self --filters Name=tag:a,Values=b --query \"Snapshots[?StartTime<='${CUTOFF}'].SnapshotId\" --output text)\nfor id in $OLD; do aws ec2 delete-snapshot --snapshot-id \"$id\"; done",
    ),
    (
        "JW270",
        'set -eu\nfor f in $(kubectl get pvc -o name); do\n  kubectl delete "$f"\ndone',
        'set -eu\nfor f in $(kubectl get pvc -o name -l app=preview); do\n  kubectl delete "$f"\ndone',
    ),
    (
        "JW270",
        'set -euo pipefail\nkubectl get pvc -o name > /tmp/all\ngrep "tmp" /tmp/all > /tmp/stale || exit 0\nxargs kubectl delete < /tmp/stale',
        "set -euo pipefail\nkubectl get pvc -l app=preview -o name > /tmp/stale\nxargs -r kubectl delete < /tmp/stale",
    ),
    (
        "JW270",
        'set -euo pipefail\nkubectl get ns -o name | grep "^namespace/pr" | xargs -r kubectl delete',
        'set -euo pipefail\nkubectl get ns -o name | grep -E "^namespace/pr-[0-9]+$" | xargs -r kubectl delete',
    ),
    (
        "JW270",
        'set -euo pipefail\nCUTOFF="now() - interval \'90 days\'"\npsql -v ON_ERROR_STOP=1 -c "\\\\copy (SELECT * FROM events WHERE created_at < $CUTOFF) TO \'/data/out.csv\' CSV"\npsql -v ON_ERROR_STOP=1 -c "DELETE FROM events WHERE created_at < $CUTOFF"',
        "set -euo pipefail\nCUTOFF=\"'$(date -u -d '90 days ago' +%F)'\"\npsql -v ON_ERROR_STOP=1 -c \"\\\\copy (SELECT * FROM events WHERE created_at < $CUTOFF) TO '/data/out.csv' CSV\"\npsql -v ON_ERROR_STOP=1 -c \"DELETE FROM events WHERE created_at < $CUTOFF\"",
    ),
    (
        "JW270",
        "set -eu\npsql -v ON_ERROR_STOP=1 -c \"DELETE FROM sessions WHERE last_seen > now() - interval '30 days'\"",
        "set -eu\npsql -v ON_ERROR_STOP=1 -c \"DELETE FROM sessions WHERE last_seen < now() - interval '30 days'\"",
    ),
    (
        "JW270",
        "set -eu\npsql -v ON_ERROR_STOP=1 -c \"DELETE FROM audit_events WHERE tenant_id = 42 AND kind = 'debug' OR kind = 'trace'\"",
        "set -eu\npsql -v ON_ERROR_STOP=1 -c \"DELETE FROM audit_events WHERE tenant_id = 42 AND (kind = 'debug' OR kind = 'trace')\"",
    ),
    (
        "JW273",
        "set -eu\npg_dump -f \"/backup/db-$(date +%F).sql\"\nfind /backup -name '*.sql' -mtime -30 -delete",
        "set -eu\npg_dump -f \"/backup/db-$(date +%F).sql\"\nfind /backup -name '*.sql' -mtime +30 -delete",
    ),
    (
        "JW273",
        "set -eu\nfind /data/uploads -name '*.tmp' -o -name '*.log' -mtime +7 -delete",
        "set -eu\nfind /data/uploads \\( -name '*.tmp' -o -name '*.log' \\) -mtime +7 -delete",
    ),
    (
        "JW273",
        "set -eu\nfind /data/cache-a -mtime +7 -exec rm -rf {} \\;",
        "set -eu\nfind /data/cache-a -mindepth 1 -mtime +7 -exec rm -rf {} \\;",
    ),
    (
        "JW273",
        "set -euo pipefail\ncd /backup\nls -1t *.gz | head -n -7 | xargs -r rm --",
        "set -euo pipefail\ncd /backup\nls -1t *.gz | tail -n +8 | xargs -r rm --",
    ),
    (
        "JW273",
        "set -euo pipefail\ncd /backup\nls -1tr *.gz | tail -n +8 | xargs -r rm --",
        "set -euo pipefail\ncd /backup\nls -1tr *.gz | head -n -7 | xargs -r rm --",
    ),
    (
        "JW273",
        'set -eu\nNAME="wiki-$(date +%d-%m-%Y).tar.gz"\ntar -C /data -czf "/backup/${NAME}" .\ncd /backup\nls -1 wiki-*.tar.gz | sort | head -n -14 | xargs -r rm -v --',
        'set -eu\nNAME="wiki-$(date +%Y-%m-%d).tar.gz"\ntar -C /data -czf "/backup/${NAME}" .\ncd /backup\nls -1 wiki-*.tar.gz | sort | head -n -14 | xargs -r rm -v --',
    ),
    (
        "JW274",
        "set -eu\njq '.enabled = true' /data/state.json > /data/state.json",
        "set -eu\njq '.enabled = true' /data/state.json > /data/state.json.new\nmv /data/state.json.new /data/state.json",
    ),
    (
        "JW274",
        "set -eu\nsort -u /data/list.txt > /data/list.txt",
        "set -eu\nsort -u -o /data/list.txt /data/list.txt",
    ),
    (
        "JW274",
        "set -eu\ntar czf /data/backup-$(date +%F).tar.gz /data",
        "set -eu\ntar czf /backup/backup-$(date +%F).tar.gz /data",
    ),
    (
        "JW275",
        'set -eu\nredis-cli -h "$DBHOST" BGSAVE\ncp /data/dump.rdb "/backup/dump-$(date +%F).rdb"',
        'set -eu\nredis-cli -h "$DBHOST" SAVE\ncp /data/dump.rdb "/backup/dump-$(date +%F).rdb"',
    ),
    (
        "JW275",
        'set -eu\ncp /data/app.db "/backup/app-$(date +%F).db"',
        "set -eu\nsqlite3 /data/app.db \".backup '/backup/app-$(date +%F).db'\"",
    ),
    (
        "JW276",
        'set -eu\naws rds create-db-snapshot --db-instance-identifier shop --db-snapshot-identifier "shop-$(date +%F)"\naws rds delete-db-instance --db-instance-identifier shop --skip-final-snapshot',
        'set -eu\naws rds create-db-snapshot --db-instance-identifier shop --db-snapshot-identifier "shop-$(date +%F)"\naws rds wait db-snapshot-available --db-snapshot-identifier "shop-$(date +%F)"\naws rds delete-db-instance --db-instance-identifier shop --skip-final-snapshot',
    ),
    (
        "JW276",
        'set -eu\nvelero backup create "pre-$(date +%s)" --include-namespaces shop\nkubectl delete namespace shop',
        'set -eu\nvelero backup create "pre-$(date +%s)" --include-namespaces shop --wait\nkubectl delete namespace shop',
    ),
    (
        "JW277",
        'set -eu\nconsul kv delete -recurse "tenants/acme"',
        'set -eu\nconsul kv delete -recurse "tenants/acme/"',
    ),
    (
        "JW277",
        "set -eu\ngit -C /data/repo fetch origin\ngit -C /data/repo push --force origin main",
        "set -eu\ngit -C /data/repo fetch origin\ngit -C /data/repo push origin main",
    ),
    (
        "JW277",
        "docker system prune -af --volumes",
        "docker system prune -af",
    ),
    (
        "JW277",
        "set -eu\netcdctl del --prefix /tenants/acme",
        "set -eu\netcdctl del --prefix /tenants/acme/",
    ),
    (
        "JW277",
        "set -e\ngit -C /data/repo push --force origin main",
        "set -e\ngit -C /data/repo push --force-with-lease origin main",
    ),
    (
        "JW277",
        "set -eu\nrclone sync nas:projects b2:offsite --ignore-errors",
        "set -eu\nrclone sync nas:projects b2:offsite",
    ),
    (
        "JW277",
        "set -eu\nregistry garbage-collect --delete-untagged /etc/docker/registry/config.yml",
        "set -eu\nregistry garbage-collect /etc/docker/registry/config.yml",
    ),
    (
        "JW277",
        "set -eu\nrestic unlock --remove-all\nrestic backup /data",
        "set -eu\nrestic unlock\nrestic backup /data",
    ),
    (
        "JW277",
        "set -eu\nrsync -a --delete --ignore-errors /data/ user@nas:/backup/",
        "set -eu\nrsync -a --delete /data/ user@nas:/backup/",
    ),
    (
        "JW277",
        "set -eu\nkubectl delete pods --field-selector=status.phase!=Running -n shop",
        "set -eu\nkubectl delete pods --field-selector=status.phase==Succeeded -n shop",
    ),
    (
        "JW277",
        "set -eu\nmysql --force shop < /data/migrate.sql",
        "set -eu\nmysql shop < /data/migrate.sql",
    ),
    (
        "JW278",
        "set -euo pipefail\nmysqldump app 2>&1 | gzip > /data/app-$(date +%F).sql.gz",
        "set -euo pipefail\nmysqldump app 2>/data/log | gzip > /data/app-$(date +%F).sql.gz",
    ),
    (
        "JW278",
        "set -eu\npg_dump app > /data/app-$(date +%F).sql 2>&1",
        "set -eu\npg_dump app -f /data/app-$(date +%F).sql > /data/log 2>&1",
    ),
    (
        "JW278",
        "set -eu\nkubectl exec db-0 -- pg_dumpall &> /data/all-$(date +%F).sql",
        "set -eu\nkubectl exec db-0 -- pg_dumpall 2>&1 > /data/all-$(date +%F).sql",
    ),
    (
        "JW266",
        "set -eu\nls -t /data/backups | tail -n +8 | xargs rm -f",
        "set -eu\ncd /data/backups\nls -t /data/backups | tail -n +8 | xargs rm -f",
    ),
    (
        "JW266",
        "set -eu\nls -t $DIR | tail -n +8 | xargs -r rm",
        "set -eu\nls -t $DIR/*.gz | tail -n +8 | xargs -r rm",
    ),
    (
        "JW551",
        "set -eu\nkubectl scale deploy/app --replicas=0\npg_restore -d app /data/a.dump\nkubectl scale deploy/app --replicas=3",
        "set -eu\ntrap 'kubectl scale deploy/app --replicas=3' EXIT\nkubectl scale deploy/app --replicas=0\npg_restore -d app /data/a.dump",
    ),
    (
        "JW551",
        "php occ maintenance:mode --on && tar czf /data/a.tgz /var/www && php occ maintenance:mode --off",
        "php occ maintenance:mode --on\ntar czf /data/a.tgz /var/www\ncode=$?\nphp occ maintenance:mode --off\nexit $code",
    ),
    (
        "JW551",
        "set -e\nkubectl exec web-0 -- php artisan down\npg_dump app -f /data/a-$(date +%F)\nkubectl exec web-0 -- php artisan up",
        "set -e\npg_dump app -f /data/a-$(date +%F)\nkubectl exec web-0 -- php artisan up",
    ),
    (
        "JW551",
        "set -e\nfsfreeze -f /data\nlvcreate -s -n snap vg/data\nfsfreeze -u /data",
        "fsfreeze -f /data\nlvcreate -s -n snap vg/data; code=$?\nfsfreeze -u /data\nexit $code",
    ),
    (
        "JW545",
        'n=$(ls /data | wc -l)\nif [ "$n" > 7 ]; then rm /data/old; fi',
        'n=$(ls /data | wc -l)\nif [ "$n" -gt 7 ]; then rm /data/old > /data/log; fi',
    ),
    (
        "JW545",
        "test $n > 7 && rm /data/old",
        "[[ $n > 7 ]] && rm /data/old",
    ),
    (
        "JW260",
        "cd /data/a\ntar czf /data/b.tgz .; rm -rf /data/a",
        "cd /data/a\ntar czf /data/b.tgz . && rm -rf /data/a",
    ),
    (
        "JW277",
        "set -eu\nterraform apply -lock=false /data/plan",
        "set -eu\nterraform apply -lock-timeout=5m /data/plan",
    ),
    (
        "JW277",
        "set -eu\nrestic forget --group-by '' --keep-daily 7 --prune",
        "set -eu\nrestic forget --group-by host --keep-daily 7 --prune",
    ),
    (
        "JW277",
        "set -eu\naws s3 rm s3://b/a --recursive --include '*.tmp'",
        "set -eu\naws s3 rm s3://b/a --recursive --exclude '*' --include '*.tmp'",
    ),
    (
        "JW277",
        "set -eu\npg_basebackup -D /data/base -X none",
        "set -eu\npg_basebackup -D /data/base -X stream",
    ),
    (
        "JW549",
        'set -euo pipefail\nkubectl get pods -o name | while read -r pod; do\n  kubectl exec -i "$pod" -- /app/flush\ndone',
        'set -euo pipefail\nkubectl get pods -o name | while read -r pod; do\n  kubectl exec "$pod" -- /app/flush < /dev/null\ndone',
    ),
    (
        "JW549",
        'set -eu\nwhile read -r host; do\n  ssh "$host" sudo reload\ndone < /data/hosts',
        'set -eu\nwhile read -r host; do\n  ssh -n "$host" sudo reload\ndone < /data/hosts',
    ),
    (
        "JW550",
        'set -eu\n/app/import /data\n[ -n "${DEBUG:-}" ] && echo done',
        'set -eu\n/app/import /data\nif [ -n "${DEBUG:-}" ]; then echo done; fi',
    ),
    (
        "JW550",
        'set -e\nn=0\nfor f in /data/*.csv; do\n  /app/import "$f"\n  ((n++))\ndone\necho "$n files"',
        'set -e\nn=0\nfor f in /data/*.csv; do\n  /app/import "$f"\n  n=$((n + 1))\ndone\necho "$n files"',
    ),
    (
        "JW550",
        'set -euo pipefail\nOLD=$(kubectl get pods -o name | grep Evicted)\nfor p in $OLD; do kubectl delete "$p"; done',
        'set -euo pipefail\nOLD=$(kubectl get pods -o name | grep Evicted || true)\nfor p in $OLD; do kubectl delete "$p"; done',
    ),
    (
        "JW550",
        "set -eu\nkubectl get jobs -o name --field-selector status.successful=1 | xargs kubectl delete",
        "set -eu\nkubectl get jobs -o name --field-selector status.successful=1 | xargs -r kubectl delete",
    ),
]
"""A rule, a script that it reports, and the script as it should be."""


@pytest.mark.parametrize(("code", "bad", "good"), CASES)
def test_a_script_is_reported_and_its_correct_form_is_not(code: str, bad: str, good: str) -> None:
    assert fields(code, running(bad))
    assert not fields(code, running(good))


BUILTIN = "set -eu\n/app/export --day=today A=1 | zstd -q -o /data/a"


def test_a_program_named_as_a_command_of_the_shell_is_no_such_command() -> None:
    assert fields("JW533", running(BUILTIN.replace("/app/", "")))
    assert not fields("JW533", running(BUILTIN))


PROGRAMS = [
    ("python3", "import requests\nrequests.post(url)", "requests.post(url).raise_for_status()"),
    ("python3", "for a in b:\n    pool.submit(work, a)", "pool.submit(work, a).result()"),
    ("python3", "Process(target=work).start()", "work()"),
    (
        "python3",
        'import subprocess\nsubprocess.run(["aws", "s3", "sync", "/data", "s3://b"])',
        'import subprocess\nsubprocess.run(["aws", "s3", "sync", "/data", "s3://b"], check=True)',
    ),
    (
        "python3",
        "for a in b:\n    try:\n        work(a)\n    except Exception as e:\n        print(e)",
        "for a in b:\n    try:\n        work(a)\n    except Exception as e:\n        failed += 1",
    ),
    (
        "node",
        "rows.forEach(async (row) => { await save(row); });",
        "await Promise.all(rows.map(save));",
    ),
    (
        "node",
        'await fetch(url, {method: "POST"});',
        'const r = await fetch(url, {method: "POST"});\nif (!r.ok) throw r;',
    ),
]
"""An interpreter, a program that does not see a failure, and one that does."""
COPY = 'import subprocess\nfor a in b:\n    subprocess.run(["aws", "s3", "cp", str(a), "s3://b"]%s)\n    a.unlink()'
LOOP = "%sforeach ($f in Get-ChildItem /data) {\n  Copy-Item $f.FullName /backup/\n  Remove-Item $f.FullName\n}"
TRY = "%stry {\n  Copy-Item /data/a /backup/\n} catch {\n  Write-Host no\n}\nRemove-Item -Recurse /data/a"
STOPS = "$ErrorActionPreference = 'Stop'\n"


@pytest.mark.parametrize(
    ("code", "interpreter", "bad", "good"),
    [
        *(("JW222", *each) for each in PROGRAMS),
        ("JW260", "python3", COPY % "", COPY % ", check=True"),
        ("JW260", "pwsh", LOOP % "", LOOP % STOPS),
        (
            "JW260",
            "pwsh",
            TRY % "",
            f"{STOPS}Copy-Item /data/a /backup/\nRemove-Item -Recurse /data/a",
        ),
    ],
)
def test_a_program_that_does_not_see_a_failure_is_reported(
    code: str, interpreter: str, bad: str, good: str
) -> None:
    option = {"python3": "-c", "node": "-e", "pwsh": "-Command"}[interpreter]
    for text, reported in ((bad, True), (good, False)):
        main: dict[str, Any] = {
            "name": "main",
            "image": "tools:1",
            "command": [interpreter, option, text],
            "volumeMounts": [{"name": "data", "mountPath": "/data"}],
        }
        value = job({"containers": [main], "volumes": [{"name": "data", **CLAIM}]})
        assert bool(fields(code, value)) is reported
