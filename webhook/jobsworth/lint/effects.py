"""What usual programs read, write and delete: one table of their subcommands, options and operands.

Sources: the manual pages and reference documentation of the programs, in November 2026. A program that is not
in the table has no effects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from jobsworth.lint.command_line import base_name
from jobsworth.lint.usual_programs import dump_name
from jobsworth.record import Record

Loss = Literal[
    "files", "expiry", "mirror", "reset", "schema", "push", "replace", "rows", "exists", "again"
]
Target = Literal["all", "first", "last", "none"]


class Use(Record):
    """A use of a program that deletes or replaces data, or cannot be repeated.

    Attributes:
        loss: ``files`` (deletes what it names), ``expiry`` (deletes what is old), ``mirror`` (deletes what
            its source lacks), ``reset`` (empties a whole store), ``schema`` (drops what a schema
            lacks), ``push`` (replaces the work of others), ``replace`` (puts a file in the place of
            another) or ``rows`` (deletes some rows of a table). Two lose nothing: ``exists`` fails if what
            it makes is there, ``again`` adds the same once more.
        words: its subcommands, as they follow each other among the operands.
        options: options of which it needs one; none for always.
        spared: options with which it deletes nothing, or keeps a copy.
        target: the operands whose data is lost.
    """

    loss: Loss
    words: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    spared: tuple[str, ...] = ()
    target: Target = "none"


_DRY = ("--dry-run", "--dryrun", "-n", "--noop")
_RESETS = (
    Use("reset", ("migrate", "reset")),
    Use("reset", ("db", "push"), ("--force-reset",)),
    Use("schema", ("db", "push"), ("--accept-data-loss",)),
    Use("schema", ("push",), ("--force",)),
    Use("reset", ("migrate:rollback",), ("--all",)),
    Use("schema", ("schema:sync",)),
    Use("reset", ("doctrine:schema:drop",), ("--force",)),
    Use("reset", ("doctrine:database:drop",), ("--force",)),
    Use("schema", ("schema:update",), ("--force",)),
    Use("schema", ("doctrine:schema:update",), ("--force",)),
    Use("reset", ("doctrine:fixtures:load",), (), ("--append",)),
    *(Use("reset", (each,)) for each in (
        "db:drop", "db:reset", "db:schema:load", "db:setup", "db:wipe", "migrate:fresh", "migrate:refresh",
        "migrate:reset", "db:migrate:undo:all", "ecto.drop", "ecto.reset", "schema:drop", "flush", "reset_db",
        "db:structure:load", "db:migrate:reset",
    )),
)  # fmt: skip
"""Subcommands of frameworks for web applications that empty a database, or drop what a schema lacks: Prisma,
Drizzle, Rails, Laravel, Knex, Sequelize, Ecto, TypeORM, Doctrine and Django."""

KEPT_KINDS = frozenset((
    "crd", "crds", "customresourcedefinition", "customresourcedefinitions", "namespace", "namespaces", "ns",
    "persistentvolume", "persistentvolumeclaim", "persistentvolumeclaims", "persistentvolumes", "pv", "pvc",
))  # fmt: skip
"""Kinds whose objects hold data, or other objects, that are deleted with them."""
FRAMEWORKS = (
    "prisma", "rails", "rake", "artisan", "sequelize", "sequelize-cli", "mix", "typeorm", "console",
    "manage.py", "django-admin", "drizzle-kit", "knex",
)  # fmt: skip
"""The programs of these frameworks."""
_KUBECTL = tuple(Use("reset", ("delete", kind), (), ("--dry-run",)) for kind in KEPT_KINDS)
_TERRAFORM = (
    Use("reset", ("destroy",)),
    Use("reset", ("apply",), ("-destroy", "--destroy")),
    Use("reset", ("workspace", "delete"), ("-force",)),
)
_TOPICS = (Use("reset", (), ("--delete",)),)
_REDIS = (Use("reset", ("flushall",)), Use("reset", ("flushdb",)))

LOSSES: dict[str, tuple[Use, ...]] = {
    "mv": (Use("replace", spared=("-n", "-b", "--backup", "--no-clobber"), target="last"),),
    "cp": (Use("replace", spared=("-n", "-b", "--backup", "--no-clobber"), target="last"),),
    "scp": (Use("replace", target="last"),),
    "truncate": (Use("files", options=("-s", "--size"), target="last"),),
    "shred": (Use("files", target="all"),),
    "kubectl": _KUBECTL,
    "oc": (*_KUBECTL, Use("reset", ("delete", "project"))),
    "rm": (
        Use("files", options=("-r", "-R", "--recursive"), target="all"),
        Use("files", target="all"),
    ),
    "find": (Use("expiry", options=("-delete", "rm"), target="first"),),
    "rsync": (
        Use("mirror", (), ("--delete", "--delete-after", "--delete-before", "--delete-excluded"),
            (*_DRY, "--backup", "-b", "--max-delete"), "last"),
    ),
    "rclone": (
        Use("mirror", ("sync",), (), (*_DRY, "--backup-dir", "--max-delete"), "last"),
        Use("files", ("purge",), (), _DRY, "last"),
        Use("expiry", ("delete",), (), _DRY, "last"), Use("expiry", ("deletefile",), (), _DRY, "last"),
        Use("replace", ("copyto",), (), _DRY, "last"),
    ),
    "aws": (
        Use("mirror", ("s3", "sync"), ("--delete",), _DRY, "last"),
        Use("files", ("s3", "rm"), ("--recursive",), _DRY, "last"),
        Use("reset", ("s3", "rb"), ("--force",), _DRY),
        Use("reset", ("dynamodb", "delete-table")), Use("reset", ("rds", "delete-db-instance")),
        Use("expiry", ("s3api", "delete-objects")), Use("expiry", ("s3api", "delete-object")),
        Use("expiry", ("s3", "rm"), (), ("--recursive", *_DRY), "last"),
        *(Use("reset", words) for words in (
            ("cloudformation", "delete-stack"), ("ec2", "delete-volume"), ("ec2", "terminate-instances"),
            ("efs", "delete-file-system"), ("elasticache", "delete-cache-cluster"),
            ("kms", "schedule-key-deletion"), ("opensearch", "delete-domain"), ("rds", "delete-db-cluster"),
            ("s3api", "delete-bucket"), ("sqs", "delete-queue"), ("sqs", "purge-queue"),
        )),
        Use("reset", ("ecr", "delete-repository"), ("--force",)),
        Use("reset", ("secretsmanager", "delete-secret"), ("--force-delete-without-recovery",)),
        Use("reset", ("s3api", "put-bucket-versioning"), ("Status=Suspended",)),
        *(Use("expiry", words) for words in (
            ("ec2", "delete-snapshot"), ("ec2", "deregister-image"), ("ecr", "batch-delete-image"),
            ("rds", "delete-db-cluster-snapshot"), ("rds", "delete-db-snapshot"),
        )),
        Use("replace", ("s3", "cp"), (), ("--recursive", *_DRY), "last"),
    ),
    "gsutil": (
        Use("mirror", ("rsync",), ("-d",), _DRY, "last"),
        Use("files", ("rm",), ("-r", "-R"), (), "last"), Use("expiry", ("rm",), (), (), "last"),
        Use("reset", ("rb",)), Use("reset", ("versioning", "set", "off")),
        Use("replace", ("cp",), (), ("-r", "-R", "-n"), "last"),
    ),
    "gcloud": (
        Use("mirror", ("storage", "rsync"), ("--delete-unmatched-destination-objects",), _DRY, "last"),
        Use("files", ("storage", "rm"), ("-r", "--recursive"), (), "last"),
        Use("expiry", ("storage", "rm"), (), (), "last"),
        *(Use("reset", (*words, "delete")) for words in (
            ("compute", "disks"), ("compute", "instances"), ("container", "clusters"), ("projects",),
            ("pubsub", "subscriptions"), ("pubsub", "topics"), ("sql", "databases"), ("sql", "instances"),
            ("storage", "buckets"),
        )),
        Use("expiry", ("compute", "snapshots", "delete")), Use("expiry", ("sql", "backups", "delete")),
        Use("replace", ("storage", "cp"), (), ("-r", "--recursive", "-n", "--no-clobber"), "last"),
    ),
    "az": (
        *(Use("reset", (*words, "delete")) for words in (
            ("acr", "repository"), ("cosmosdb",), ("disk",), ("group",), ("keyvault",),
            ("postgres", "flexible-server"), ("sql", "db"), ("sql", "server"), ("storage", "account"),
            ("storage", "container"), ("vm",),
        )),
        Use("reset", ("storage", "blob", "delete-batch"), (), ("--dryrun", "--if-unmodified-since")),
        Use("mirror", ("storage", "blob", "sync"), ("--delete-destination",), (), "none"),
        Use("expiry", ("snapshot", "delete")),
    ),
    "bq": (Use("reset", ("rm",), ("-f", "--force", "-r", "--recursive")),),
    "doctl": (Use("reset", ("databases", "delete")), Use("reset", ("compute", "volume", "delete"))),
    "docker": (Use("reset", ("volume", "prune")), Use("reset", ("system", "prune"), ("--volumes",))),
    "ceph": (Use("reset", ("osd", "pool", "delete")), Use("reset", ("fs", "rm"))),
    "rbd": (Use("reset", ("rm",)), Use("reset", ("snap", "purge"))),
    "rados": (Use("reset", ("purge",)),),
    "zpool": (Use("reset", ("destroy",)), Use("reset", ("create",), ("-f",))),
    "btrfs": (Use("expiry", ("subvolume", "delete")),),
    "consul": (Use("reset", ("kv", "delete"), ("-recurse",)),),
    "nats": (Use("reset", ("stream", "purge")), Use("reset", ("stream", "rm"))),
    "rabbitmqadmin": (Use("reset", ("purge", "queue")), Use("reset", ("delete", "queue"))),
    "kafka-topics": _TOPICS,
    "kafka-topics.sh": _TOPICS,
    "kafka-delete-records": (Use("reset"),),
    "kafka-delete-records.sh": (Use("reset"),),
    "influx": (Use("reset", ("bucket", "delete")), Use("reset", ("delete",))),
    "wp": (Use("reset", ("db", "reset")), Use("reset", ("db", "drop"))),
    "drush": (Use("reset", ("sql-drop",)), Use("reset", ("sql:drop",)), Use("reset", ("site:install",))),
    "airflow": (Use("reset", ("db", "reset")),),
    "supabase": (Use("reset", ("db", "reset")),),
    "sgdisk": (Use("reset", (), ("--zap-all", "-Z", "-o")),),
    "mc": (
        Use("mirror", ("mirror",), ("--remove",), _DRY, "last"),
        Use("files", ("rm",), ("--recursive", "-r"), ("--older-than",), "last"),
        Use("expiry", ("rm",), (), ("--recursive", "-r"), "last"),
        Use("reset", ("rb",), ("--force",)), Use("reset", ("version", "suspend")),
        Use("replace", ("cp",), (), ("-r", "--recursive"), "last"),
    ),
    "s3cmd": (
        Use("mirror", ("sync",), ("--delete-removed",), _DRY, "last"),
        Use("files", ("del",), ("-r", "--recursive"), _DRY, "last"),
        Use("files", ("rm",), ("-r", "--recursive"), _DRY, "last"),
        Use("reset", ("rb",), ("-r", "--recursive")),
        Use("replace", ("put",), (), ("-r", "--recursive"), "last"),
    ),
    "lftp": (Use("mirror", ("mirror",), ("--delete",), _DRY, "last"),),
    "azcopy": (
        Use("mirror", ("sync",), ("--delete-destination",), _DRY, "last"),
        Use("files", ("remove",), (), (), "last"),
    ),
    "s5cmd": (Use("mirror", ("sync",), ("--delete",), _DRY, "last"), Use("files", ("rm",), (), (), "last")),
    "restic": (Use("expiry", ("forget",), (), _DRY),),
    "rustic": (Use("expiry", ("forget",), (), _DRY),),
    "duplicity": (
        Use("expiry", ("remove-older-than",), ("--force",)),
        Use("expiry", ("remove-all-but-n-full",), ("--force",)),
    ),
    "duplicacy": (Use("expiry", ("prune",), (), _DRY),),
    "velero": (Use("expiry", ("backup", "delete"), ("--confirm",)),),
    "barman-cloud-backup-delete": (Use("expiry", (), (), _DRY),),
    "borg": (Use("expiry", ("prune",), (), _DRY), Use("expiry", ("delete",), (), _DRY)),
    "kopia": (Use("expiry", ("snapshot", "expire"), ("--delete",)),),
    "pgbackrest": (Use("expiry", ("expire",), (), _DRY),),
    "wal-g": (Use("expiry", ("delete",), ("--confirm",)),),
    "dropdb": (Use("reset"),),
    "mysqladmin": (Use("reset", ("drop",)),),
    "pg_restore": (Use("reset", (), ("-c", "--clean")),),
    "mongorestore": (Use("reset", (), ("--drop",)),),
    "redis-cli": _REDIS,
    "valkey-cli": _REDIS, "keydb-cli": _REDIS,
    "flyway": (Use("reset", ("clean",)), Use("reset", ("migrate",), ("-cleanOnValidationError",))),
    "liquibase": (Use("reset", ("dropAll",)), Use("reset", ("drop-all",))),
    "atlas": (Use("reset", ("schema", "clean"), ("--auto-approve",)),),
    "skeema": (Use("schema", ("push",), ("--allow-unsafe",), _DRY),),
    "psqldef": (Use("schema", (), ("--enable-drop", "--enable-drop-table"), _DRY),),
    "mysqldef": (Use("schema", (), ("--enable-drop", "--enable-drop-table"), _DRY),),
    "dropuser": (Use("reset"),),
    "zfs": (Use("reset", ("destroy",), (), _DRY), Use("files", ("rollback",), ("-r",), (), "last")),
    "etcdctl": (Use("reset", ("del",), ("--prefix", "--from-key")),),
    "vault": (Use("reset", ("secrets", "disable")), Use("reset", ("kv", "metadata", "delete"))),
    "rabbitmqctl": tuple(
        Use("reset", (each,)) for each in (
            "delete_queue", "delete_vhost", "force_reset", "purge_queue", "reset",
        )
    ),
    "nodetool": (Use("reset", ("clearsnapshot",), ("--all",)),),
    "migrate": (Use("reset", ("drop",)),),
    "dbmate": (Use("reset", ("drop",)),),
    "alembic": (Use("reset", ("downgrade", "base")),),
    "terraform": _TERRAFORM,
    "tofu": _TERRAFORM,
    "pulumi": (Use("reset", ("destroy",)),),
    "helm": (Use("reset", ("uninstall",), (), _DRY), Use("reset", ("delete",), (), _DRY)),
    "git": (Use("push", ("push",), ("--force", "-f", "--mirror", "--prune"), (*_DRY, "--force-with-lease")),),
    **dict.fromkeys(FRAMEWORKS, _RESETS),
}  # fmt: skip
"""The uses of programs by which data is lost."""

_CREATED_KINDS = (
    "clusterrole", "clusterrolebinding", "cm", "configmap", "cronjob", "deployment", "ingress", "job",
    "namespace", "ns", "quota", "role", "rolebinding", "sa", "secret", "service", "serviceaccount",
)  # fmt: skip
_PRODUCER = (Use("again"),)
REPEATED: dict[str, tuple[Use, ...]] = {
    "aws": (
        Use("exists", ("s3", "mb")), Use("exists", ("dynamodb", "create-table")),
        Use("exists", ("s3api", "create-bucket")), Use("exists", ("secretsmanager", "create-secret")),
        Use("again", ("sns", "publish")), Use("again", ("sqs", "send-message")),
        Use("again", ("ses", "send-email")),
    ),
    "createdb": (Use("exists"),),
    "createuser": (Use("exists"),),
    "gcloud": (
        Use("exists", ("pubsub", "topics", "create")), Use("exists", ("sql", "databases", "create")),
        Use("exists", ("storage", "buckets", "create")), Use("again", ("pubsub", "topics", "publish")),
    ),
    "git": (Use("exists", ("clone",)),),
    "gsutil": (Use("exists", ("mb",)),),
    "helm": (Use("exists", ("install",), (), ("--replace", "--generate-name", "-g", "--dry-run")),),
    "kafka-console-producer": _PRODUCER,
    "kafka-console-producer.sh": _PRODUCER,
    "kafka-topics": (Use("exists", (), ("--create",), ("--if-not-exists",)),),
    "kafka-topics.sh": (Use("exists", (), ("--create",), ("--if-not-exists",)),),
    "kcat": (Use("again", (), ("-P",)),),
    "kubectl": tuple(Use("exists", ("create", each), (), ("--dry-run",)) for each in _CREATED_KINDS),
    "mc": (Use("exists", ("mb",), (), ("--ignore-existing", "-p")),),
    "mkdir": (Use("exists", (), (), ("-p", "--parents")),),
    "mongoimport": (Use("again", (), (), ("--drop", "--mode")),),
    "mysqladmin": (Use("exists", ("create",)),),
    "nats": (Use("again", ("pub",)),),
    "rabbitmqadmin": (Use("again", ("publish",)),),
    "rabbitmqctl": (Use("exists", ("add_user",)), Use("exists", ("add_vhost",))),
    "redis-cli": tuple(
        Use("again", (each,)) for each in ("decrby", "incr", "incrby", "lpush", "publish", "rpush", "xadd")
    ),
    "vault": (Use("exists", ("auth", "enable")), Use("exists", ("secrets", "enable"))),
    "zfs": (Use("exists", ("create",), (), ("-p",)),),
}  # fmt: skip
"""The uses of programs that do something else the second time: they fail, or add the same once more."""
MAKES_FILES = ("git", "mkdir")
"""Those that make files or folders, which are there again only on a volume that is kept."""

PUBLIC: dict[str, tuple[str, ...]] = {
    "aws": ("public-read", "public-read-write"),
    "az": ("--public-access=blob", "--public-access=container"),
    "gcloud": ("--predefined-acl=publicRead", "--member=allUsers"),
    "gsutil": (
        "public-read",
        "public-read-write",
        "allUsers",
        "AllUsers:R",
        "allUsers:objectViewer",
    ),
    "mc": ("public", "download"),
    "rclone": ("public-read", "--s3-acl=public-read"),
    "s3cmd": ("--acl-public", "-P"),
}
"""Words by which a program lets everyone read what it uploads."""

SQL_CLIENTS = frozenset(
    (
        "bq", "clickhouse", "clickhouse-client", "cockroach", "cqlsh", "cypher-shell", "duckdb", "mariadb",
        "mongo", "mongosh", "mycli", "mysql", "pgcli", "psql", "sqlcmd", "sqlite3", "sqlplus", "trino",
        "usql", "ysqlsh",
    )
)  # fmt: skip
_SQL_LOSS = re.compile(
    r"\bDROP\s+(?:DATABASE|KEYSPACE|SCHEMA)\b"
    r"|\b(?:DROP\s+TABLE(?:\s+IF\s+EXISTS)?|TRUNCATE(?:\s+TABLE)?|DELETE\s+FROM)\s+"
    r"(?!IF\s|\S*(?:backup|bak\b|cache|_new|lock|old|queue|session|stag|te?mp))[\w.\"`]+\s*"
    r"(?:;|,|CASCADE|RESTART|WHERE\s+(?:1\s*=\s*1|true)\b|$)"
    r"|\.dropDatabase\(|\.drop\(\)|\.(?:deleteMany|remove)\(\s*\{\s*\}\s*\)|\bDETACH\s+DELETE\b",
    re.IGNORECASE,
)
_SQL_ROWS = re.compile(r"\bDELETE\s+FROM\s+([\w.\"`]+)\s+WHERE\b", re.IGNORECASE)
_SEARCH_INDEX = re.compile(r":9200/(?:[\w*.,-]+/?)(?:$|\?)|/_all\b")
"""The address of an index of Elasticsearch or OpenSearch, or of all."""
FORMATTERS = ("blkdiscard", "lvremove", "pvremove", "vgremove", "wipefs")
"""Programs beside ``mkfs.*`` that empty a device."""
RUNNERS = {
    "bundle": 2, "bunx": 1, "npm": 2, "npx": 1, "php": 1, "pnpm": 2, "poetry": 2, "python": 1, "python3": 1,
    "uv": 2, "xargs": 4, "yarn": 1,
}  # fmt: skip
"""Programs that run another one, with the number of words before its name at most."""
VALUED = frozenset(
    (
        "--cluster", "--config", "--context", "--endpoint-url", "--exclude", "--host", "--include",
        "--kube-context", "--kubeconfig", "--namespace", "--output", "--port", "--profile", "--query",
        "--region", "--schema", "--tag", "--uri", "-C", "-U", "-a", "-e", "-f", "-h", "-i", "-n", "-o", "-p",
        "-u",
    )
)  # fmt: skip
"""Options of these programs whose value is the next word."""
WITHOUT_VALUES = frozenset(
    ("cp", "find", "git", "mkdir", "mv", "rm", "rsync", "sed", "tee", "touch")
)
"""Programs whose options, as far as they matter here, have no value in the next word."""


class Effects(Record):
    """What a command deletes.

    Attributes:
        name: the name of the program that does it.
        loss: the kind of the loss.
        targets: the operands whose data is lost; none for what the program knows by itself.
        sources: the other operands.
        shown: the command in a message, such as ``aws s3 sync --delete``.
    """

    name: str
    loss: Loss
    targets: Sequence[str]
    sources: Sequence[str]
    shown: str


def operands(words: Sequence[str]) -> list[str]:
    """Return the words of a command that are neither its name nor options nor their values.

    >>> operands(["aws", "--region", "eu-west-1", "s3", "rm", "--recursive", "s3://a/b"])
    ['s3', 'rm', 's3://a/b']
    """
    found, skip = [], False
    name = base_name(words[0]) if words else ""
    valued = ("-C",) if name == "git" else () if name in WITHOUT_VALUES else VALUED
    for word in words[1:]:
        if skip:
            skip = False
        elif word.startswith("-") and word != "-":
            skip = word in valued
        else:
            found.append(word)
    return found


def effects(words: Sequence[str], text: str = "") -> Effects | None:
    """Return the loss of data by a command; None if it deletes nothing, or is unknown.

    Args:
        words: the words of the command.
        text: what it reads from a here-document.

    >>> effects(["aws", "s3", "sync", "/site", "s3://site", "--delete"]).shown
    'aws s3 sync --delete'
    >>> effects(["npx", "prisma", "migrate", "reset", "--force"]).loss, effects(["rm", "-rf", "/a"]).targets
    ('reset', ['/a'])
    >>> effects(["psql", "-c", "drop database shop"]).shown, effects(["rsync", "-a", "/a/", "/b/"])
    ('DROP DATABASE', None)
    """
    listed = bool(words) and base_name(words[0]) == "xargs"
    words = _inner(words)
    name = base_name(words[0]) if words else ""
    if name in SQL_CLIENTS:
        texts = (*words[1:], text)
        found = next(filter(None, map(_SQL_LOSS.search, texts)), None)
        if found is not None:
            return Effects(name, "reset", (), (), _sql(found))
        found = next(filter(None, map(_SQL_ROWS.search, texts)), None)
        if found is not None:
            return Effects(name, "rows", (), (found[1].strip('"`'),), _sql(found))
    if name.endswith("-cli"):
        words = [*words, *text.split()]
    if name == "curl" and "DELETE" in words and any(map(_SEARCH_INDEX.search, words)):
        return Effects(name, "reset", (), (), "curl -X DELETE")
    if name.startswith("mkfs") or name in FORMATTERS:
        return Effects(name, "reset", operands(words)[-1:], (), name)
    if name == "dd":
        devices = [
            word[3:] for word in words[1:] if word.startswith("of=/dev/") and "null" not in word
        ]
        return Effects(name, "reset", devices, (), name) if devices else None
    uses = LOSSES.get(name, ())
    given = operands(words) if uses else ()
    for use in uses:
        if not is_use(use, words, given):
            continue
        option = next((each for each in use.options if _has(words, each)), "")
        rest = given[len(use.words) :]
        if name == "find":
            rest = rest[:1]  # the others belong to its tests
        at = {"all": 0, "first": 0, "last": max(len(rest) - 1, 0), "none": len(rest)}[use.target]
        targets = rest[:1] if use.target == "first" else rest[at:]
        shown = " ".join((name, *use.words, *([option] if option else [])))
        # What xargs deletes is in the list that it reads.
        loss, targets = ("expiry", []) if listed else (use.loss, targets)
        return Effects(name, loss, targets, rest[:at], shown)
    return None


def is_use(use: Use, words: Sequence[str], rest: Sequence[str]) -> bool:
    """Return True if a command, with these operands, is such a use."""
    if not _follow(use.words, rest) or any(_has(words, each) for each in use.spared):
        return False
    return not use.options or any(_has(words, each) for each in use.options)


def repetition(words: Sequence[str]) -> str:
    """Return ``exists`` or ``again`` for a command that cannot be repeated; an empty text for others.

    >>> repetition(["kubectl", "create", "ns", "a"]), repetition(["redis-cli", "INCR", "a"])
    ('exists', 'again')
    >>> repetition(["mc", "mb", "--ignore-existing", "m/b"])
    ''
    """
    uses = REPEATED.get(base_name(words[0]), ()) if words else ()
    rest = operands(words) if uses else ()
    return next((use.loss for use in uses if is_use(use, words, rest)), "")


CLOUDS = {
    "aws": "--filters, or a --query with [?…]",
    "az": "a --query with [?…]",
    "gcloud": "--filter",
}
"""Command line programs of clouds, with what selects the objects of a list."""
_SELECTING = re.compile(r"\[\?|\[-?\d|\[:|\b(?:contains|starts_with|ends_with|max_by|min_by)\(")
_BY_AGE = re.compile(
    r"\[\?\s*(?:StartTime|CreationDate|CreateTime|SnapshotCreateTime)\s*[<>][^\]&|]*\]"
)
"""A selection by age alone."""
_PRESENTING = (
    "--format", "--no-cli-pager", "--no-paginate", "--only-show-errors", "--output", "--owner-ids",
    "--owners", "--page-size", "--profile", "--query", "--quiet", "--region", "--uri", "-o", "-q",
)  # fmt: skip
"""Options of cloud CLIs that select no objects of a list."""
_DELETING = re.compile(r"(?:batch-)?(?:delete|terminate|deregister|release|purge)(?:-|$)|rb$")
_PASSING = frozenset(("cat", "cut", "date", "echo", "printf", "read", "sort", "tr", "xargs"))
"""Programs that give on each item that they get."""


def deletes_in_cloud(words: Sequence[str]) -> str:
    """Return the cloud CLI by which a command deletes objects, also through xargs; empty for another.

    >>> deletes_in_cloud(["xargs", "-n", "1", "aws", "ec2", "delete-volume", "--volume-id"])
    'aws'
    """
    inner = _inner(words)
    name = base_name(inner[0]) if inner else ""
    return name if name in CLOUDS and any(map(_DELETING.match, operands(inner)[1:])) else ""


def listing(words: Sequence[str], cloud: str) -> Literal["all", "some", ""]:
    """Return which objects of a cloud a step gives to a deletion; empty if it passes on what it gets.

    >>> listing(["aws", "ec2", "describe-volumes", "--query", "Volumes[].VolumeId"], "aws")
    'all'
    >>> listing(["aws", "ec2", "describe-volumes", "--filters", "a"], "aws"), listing(["sort"], "aws")
    ('some', '')
    """
    name, rest = base_name(words[0]), operands(words)
    if name == cloud:
        if rest[:1] == ["sts"]:
            return ""
        options = [word.partition("=")[0] for word in words if word.startswith("-") and word != "-"]
        lists = any(
            each in ("list", "ls") or each.startswith(("describe-", "list-")) for each in rest
        )
        within_bucket = rest[:2] == ["s3", "ls"] and len(rest) > 2
        given = [_BY_AGE.sub("", word) for word in words]
        selects = any(each not in _PRESENTING for each in options) or any(
            map(_SELECTING.search, given)
        )
        return "all" if lists and not within_bucket and not selects else "some"
    if name in _PASSING or (name == "tail" and any(word.startswith("+") for word in words)):
        return ""
    if name == "awk" and re.fullmatch(r"\s*\{\s*print[^{}]*\}\s*", words[-1]):
        return ""
    if name == "jq" and not re.search(
        r"select|test\(|\[-?\d|\[:|limit|first|last", " ".join(words)
    ):
        return ""
    return "some"


def _sql(found: re.Match[str]) -> str:
    return " ".join(found[0].split()[:2]).upper().strip(".();,")


def _inner(words: Sequence[str]) -> Sequence[str]:
    """Return the words of the program that ``npx`` and the like run."""
    name = base_name(words[0]) if words else ""
    if name not in RUNNERS:
        return words
    for index in range(1, min(RUNNERS[name] + 3, len(words))):
        if base_name(words[index]) in LOSSES and not words[index - 1].startswith("--"):
            return words[index:]
    return words


def _follow(wanted: Sequence[str], rest: Sequence[str]) -> bool:
    """Return True if operands begin with subcommands; a kind of objects may have a name behind a slash."""
    if len(rest) < len(wanted) or not wanted:
        return not wanted
    return all(
        given.partition("/")[0].lower() == each.lower()
        for each, given in zip(wanted, rest, strict=False)
    )


def _has(words: Sequence[str], option: str) -> bool:
    """Return True if an option is among words, alone, with a value, or among short ones."""
    for word in words[1:]:
        if word == option or word.startswith(f"{option}="):
            return option.endswith("=false") or not word.endswith("=false")
        short = len(option) == 2 and word[:1] == "-" and word[1:2] != "-"
        if short and option[1] in word[1:] and words[0] not in ("find",):
            return True
    return False


BACKUPS: dict[str, tuple[str, ...]] = {
    "aws": ("create-backup", "create-db-cluster-snapshot", "create-db-snapshot", "create-image",
            "create-snapshot", "start-backup-job"),
    "borg": ("create",), "btrfs": ("snapshot",), "consul": ("snapshot",),
    "duplicity": ("full", "incremental"), "etcdctl": ("snapshot",), "gcloud": ("backups", "snapshot"),
    "influx": ("backup",),
    "kopia": ("snapshot",), "mariabackup": ("--backup",), "neo4j-admin": ("backup", "dump"),
    "pgbackrest": ("backup",), "rbd": ("snap",), "redis-cli": ("--rdb", "save"), "restic": ("backup",),
    "rustic": ("backup",), "vault": ("snapshot",), "velero": ("backup",), "wal-g": ("backup-push",),
    "xtrabackup": ("--backup",), "zfs": ("snapshot",),
}  # fmt: skip
"""Programs beside the dumps that write a backup, with words of which one makes them do so."""


def backs_up(words: Sequence[str]) -> bool:
    """Return True for a command that writes a backup.

    >>> backs_up(["restic", "-r", "s3:a", "backup", "/data"]), backs_up(["restic", "forget"])
    (True, False)
    """
    name = base_name(words[0]) if words else ""
    return dump_name(words) != "" or any(each in words for each in BACKUPS.get(name, ()))


CONSEQUENCES = {
    "expiry": "which deletes old copies although there is no new one",
    "files": "which deletes data that is nowhere else, or that of another folder",
    "mirror": "which deletes all that the incomplete source lacks",
    "push": "which replaces the work of others by an incomplete one",
    "replace": "which puts an empty or incomplete file in the place of the last good one",
    "rows": "which deletes rows that were not exported",
    "reset": "which deletes without a copy, or in another place",
    "schema": "which drops columns and tables without a copy, or in another place",
}
"""The kinds of losses, with their effect after a step that failed."""
COPYING = frozenset(
    (
        "aws", "az", "azcopy", "cp", "gcloud", "gsutil", "gzip", "mc", "mv", "rclone", "rsync", "s3cmd",
        "s5cmd", "scp", "tar", "zip",
    )
)  # fmt: skip
"""Programs that bring data to another place."""
ASKING = frozenset(
    (
        "-t", "--list", "--test", "describe", "du", "head-object", "info", "list", "ls", "lsf", "size",
        "stat", "status", "version", "wait",
    )
)  # fmt: skip
"""Words with which such a program only looks at what is there."""
KEEPING = frozenset(
    (
        "apk", "apt", "apt-get", "awk", "chmod", "chown", "curl", "df", "du", "find", "grep", "head", "jq",
        "mkdir", "pip", "rm", "sed", "sort", "tail", "touch", "tr", "wc", "xargs",
    )
)  # fmt: skip
"""Programs that are no step on which a later deletion depends."""


RESTORING = {
    "aws": ("restore-",), "borg": ("extract",), "duplicity": ("restore",), "kopia": ("restore",),
    "pgbackrest": ("restore",), "restic": ("restore",), "rustic": ("restore",), "velero": ("restore",),
    "wal-g": ("backup-fetch",),
}  # fmt: skip
"""Programs that bring back data from another place, with beginnings of words that make them do so."""


def fetches(words: Sequence[str]) -> bool:
    """Return True for a command that gets data from another place, which may be out of reach.

    >>> fetches(["aws", "s3", "cp", "s3://b/a", "-"]), fetches(["aws", "s3", "cp", "/a", "s3://b/a"])
    (True, False)
    >>> fetches(["restic", "restore", "latest", "--target", "/a"]), fetches(["git", "clone", "https://a/b"])
    (True, True)
    """
    name, rest = (base_name(words[0]), operands(words)) if words else ("", [])
    if any(word.startswith(RESTORING.get(name, ())) for word in rest):
        return True
    if name in ("curl", "wget"):
        return (
            any("://" in word or word.startswith("$") for word in words) and "DELETE" not in words
        )
    if name == "git":
        return rest[:1] == ["clone"]
    local = name in COPIES and len(rest) > 1 and rest[-1].startswith(("/", "$", "."))
    piped = name in COPIES and rest[-1:] == ["-"]
    remote = any(":" in word or name == "mc" for word in rest[:-1])
    return (local or piped) and remote and (not COPIES[name] or rest[0] in COPIES[name])


def written_by(words: Sequence[str]) -> Iterator[str]:
    """Yield the operands and values of options to which a command writes.

    >>> list(written_by(["curl", "-fsSL", "-o", "/m/base", "https://x"])), list(written_by(["mkdir", "/a"]))
    (['/m/base'], ['/a'])
    >>> list(written_by(["sed", "-i", "s/a/b/", "/etc/app.conf"])), list(written_by(["cp", "/a", "/b/"]))
    (['/etc/app.conf'], ['/b/'])
    """
    name, rest = (base_name(words[0]), operands(words)) if words else ("", [])
    if name in ("mkdir", "tee", "touch"):
        yield from rest
    elif name in ("cp", "install", "mv", "ln") and len(rest) > 1:
        yield rest[-1]
    elif name == "sed" and any(word.startswith(("-i", "--in-place")) for word in words):
        yield from rest[1:] if "-e" not in words else rest
    elif name == "git" and rest[:1] == ["clone"] and len(rest) > 2:
        yield rest[-1]
    elif name == "tar" and len(words) > 2 and "c" in words[1].lstrip("-") and "f" in words[1]:
        yield words[2]
    elif name in COPIES and len(rest) > 1 and rest[-1].startswith(("/", "$")):
        if not COPIES[name] or rest[0] in COPIES[name]:
            yield rest[-1]
    elif name == "zip":
        yield from rest[:1]
    elif (name == "curl" and _has(words, "-O")) or (name == "wget" and not _has(words, "-O")):
        yield from (base_name(each) for each in words if "://" in each)
    at_home = WRITING_HOME.get(tuple(words[:3])) or WRITING_HOME.get(tuple(words[:2]))
    if at_home and "--kubeconfig" not in words:
        yield f"~/{at_home}"
    for option in WRITING_OPTIONS.get(name, ()):
        for index, word in enumerate(words[:-1]):
            if word == option or (
                len(option) == 2
                and word[:1] == "-"
                and word[1:2] != "-"
                and word.endswith(option[1])
            ):
                yield words[index + 1]


COPIES = {
    "aws": ("s3",), "azcopy": ("copy", "cp", "sync"), "gcloud": ("storage",), "gsutil": ("cp", "rsync"),
    "kubectl": ("cp",), "mc": ("cp", "mirror"), "rclone": ("copy", "copyto", "sync"), "rsync": (),
    "s3cmd": ("get", "sync"), "s5cmd": ("cp", "sync"), "scp": (),
}  # fmt: skip
"""Programs that copy to their last operand, with the subcommands that do so; none for always."""
WRITING_HOME = {
    ("aws", "eks", "update-kubeconfig"): ".kube/config",
    ("aws", "configure", "set"): ".aws/config",
    ("docker", "login"): ".docker/config.json",
    ("gcloud", "auth", "activate-service-account"): ".config/gcloud",
    ("gcloud", "container", "clusters"): ".kube/config",
    ("git", "config", "--global"): ".gitconfig",
    ("helm", "repo", "add"): ".config/helm",
}
"""Commands that write to the home folder of their user."""
WRITING_OPTIONS = {
    "curl": ("-o", "--output"), "mongodump": ("--out", "-o"), "openssl": ("-out",), "pg_dump": ("-f",),
    "restic": ("--target", "-t"), "unzip": ("-d",), "wget": ("-O", "--output-document", "-P"),
}  # fmt: skip
"""Options whose value is a file or folder that a program writes."""
