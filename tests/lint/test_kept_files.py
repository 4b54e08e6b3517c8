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
        "set -eu\n/app/import --all || true",
        "set -eu\n/app/import --all",
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
        "JW270",
        'set -eu\nfor f in $(kubectl get pvc -o name); do\n  kubectl delete "$f"\ndone',
        'set -eu\nfor f in $(kubectl get pvc -o name -l app=preview); do\n  kubectl delete "$f"\ndone',
    ),
    (
        "JW270",
        'set -euo pipefail\nkubectl get ns -o name | grep "^namespace/pr" | xargs -r kubectl delete',
        'set -euo pipefail\nkubectl get ns -o name | grep -E "^namespace/pr-[0-9]+$" | xargs -r kubectl delete',
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
        "set -eu\netcdctl del --prefix /tenants/acme",
        "set -eu\netcdctl del --prefix /tenants/acme/",
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
