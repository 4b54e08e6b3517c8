"""The names of usual programs and images: servers, what follows changes, dumps and migrations."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jobsworth.lint.command_line import base_name
from kube_cel.formats.bounded_cache import bounded_cache

SERVERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        (
            "apache2-foreground", "dockerd", "gunicorn", "haproxy", "httpd-foreground", "hypercorn",
            "jupyter-lab", "jupyter-notebook", "mariadbd", "memcached", "mongod", "mosquitto", "mysqld",
            "nginx", "php-fpm", "rabbitmq-server", "redis-server", "tensorboard", "uvicorn", "uwsgi",
            "valkey-server",
        ),
        (),
    ),
    "caddy": ("run",),
    "celery": ("beat", "worker"),
    "cron": ("-f",),
    "crond": ("-f",),
    "flask": ("run",),
    "jupyter": ("lab", "notebook"),
    "minio": ("server",),
    "mlflow": ("server", "ui"),
    "python": ("http.server", "runserver"),
    "python3": ("http.server", "runserver"),
    "sshd": ("-D",),
    "streamlit": ("run",),
    "vllm": ("serve",),
}  # fmt: skip
"""Programs that serve in the foreground, and words of which one makes them do so; none for always."""

DUMPS = ("mariadb-dump", "mongodump", "mysqldump", "pg_basebackup", "pg_dump", "pg_dumpall")
"""Programs that write the data of a database."""

MIGRATIONS: dict[str, tuple[tuple[str, ...], ...]] = {
    "airflow": (("db", "init"), ("db", "migrate"), ("db", "upgrade")),
    "alembic": (("upgrade",),),
    "artisan": (("migrate",),),
    "atlas": (("migrate", "apply"), ("schema", "apply")),
    "console": (("doctrine:migrations:migrate",),),
    "dbmate": (("up",), ("migrate",)),
    "django-admin": (("migrate",),),
    "flask": (("db", "upgrade"),),
    "flyway": (("migrate",),),
    "goose": (("up",),),
    "knex": (("migrate:latest",),),
    "liquibase": (("update",),),
    "manage.py": (("migrate",),),
    "migrate": (("up",),),
    "mix": (("ecto.migrate",),),
    "prisma": (("migrate", "deploy"), ("db", "push")),
    "rails": (("db:migrate",), ("db:prepare",)),
    "rake": (("db:migrate",),),
    "sequelize": (("db:migrate",),),
    "sequelize-cli": (("db:migrate",),),
    "superset": (("db", "upgrade"),),
    "typeorm": (("migration:run",),),
}
"""Programs that migrate a database, with their subcommands. Source: their reference documentation."""
RESTORES = ("mongorestore", "pg_restore")


def migrates(words: Sequence[str]) -> bool:
    """Return True for a command that migrates a database or restores it, also through a runner such as npx.

    >>> migrates(["npx", "prisma", "migrate", "deploy"]), migrates(["python", "manage.py", "check"])
    (True, False)
    """
    for at in range(min(len(words), 5)):
        name = base_name(words[at])
        if name in RESTORES:
            return True
        rest = [word for word in words[at + 1 :] if not word.startswith("-")]
        if any(tuple(rest[: len(each)]) == each for each in MIGRATIONS.get(name, ())):
            return True
    return False


MANAGERS = {
    "apk": ("add",), "apt": ("install", "update"), "apt-get": ("install", "update"), "dnf": ("install",),
    "microdnf": ("install",), "yum": ("install",),
}  # fmt: skip
"""Package managers of distributions, with the subcommands that need root and a file system to write to."""

OF_FILES = (
    "awk", "basename", "chgrp", "chmod", "chown", "cp", "cut", "df", "dirname", "du", "find", "grep",
    "gunzip", "gzip", "head", "ln", "md5sum", "mkdir", "mktemp", "mv", "rm", "rmdir", "sed", "seq",
    "sha256sum", "sort", "stat", "sync", "tail", "tar", "tee", "touch", "tr", "uniq", "wc", "zcat",
)  # fmt: skip
"""Programs that work on files and streams, and connect to no server."""
MYSQL_CLIENTS = ("mariadb", "mariadb-dump", "mysql", "mysqladmin", "mysqldump")
NEED_ROOT = (
    "adduser", "chown", "groupadd", "iptables", "ldconfig", "modprobe", "mount", "sysctl", "umount",
    "update-ca-certificates", "useradd",
)  # fmt: skip
"""Programs that fail for another user than root."""
READING = ("--help", "--list", "--version", "-L", "-a", "-l", "-n", "-p")
"""Options with which they only show something."""
ONLY_BASH = ("[[", "declare", "mapfile", "pushd", "readarray", "shopt", "source")
"""Commands of bash that dash does not have."""

ENDING = frozenset(
    (
        "--bootstrap", "--check", "--check-config", "--daemon", "--daemonize", "--help", "--initialize",
        "--initialize-insecure", "--initdb", "--test", "--validate-config", "--version", "-T", "-V", "-h",
        "-t", "-v",
    )
)  # fmt: skip
"""Arguments with which such a program does something that ends, or runs in the background."""

SERVER_IMAGES = frozenset(
    (
        "caddy", "cassandra", "couchdb", "eclipse-mosquitto", "elasticsearch", "ghost", "haproxy", "httpd",
        "influxdb", "kibana", "kong", "logstash", "mariadb", "memcached", "mongo", "mysql", "nats", "neo4j",
        "nextcloud", "nginx", "postgres", "rabbitmq", "redis", "registry", "solr", "sonarqube", "tomcat",
        "traefik", "valkey", "varnish", "wordpress", "zookeeper",
    )
)  # fmt: skip
"""Official images whose command is a server."""

_OFFICIAL = re.compile(
    r"(?:(?:index\.)?docker\.io/(?:library/)?|library/|mirror\.gcr\.io/library/|public\.ecr\.aws/docker/library/)?"
    r"([a-z0-9-]+)(?:[:@].*)?"
)


def dump_name(words: Sequence[str]) -> str:
    """Return the dump that a command line runs, also by ``kubectl exec``; empty for another program.

    >>> dump_name(["kubectl", "exec", "db-0", "--", "mysqldump", "shop"]), dump_name(["pg_dump"])
    ('mysqldump', 'pg_dump')
    """
    name = base_name(words[0]) if words else ""
    if name in DUMPS:
        return name
    inside = words[1:] if "exec" in words[1:3] or name in ("ssh", "chroot", "nsenter") else ()
    return next((base_name(word) for word in inside if base_name(word) in DUMPS), "")


def serves(words: Sequence[str]) -> bool:
    """Return True for the command line of a server in the foreground.

    >>> serves(["nginx", "-g", "daemon off;"]), serves(["nginx", "-t"])
    (True, False)
    >>> serves(["python3", "-m", "http.server"]), serves(["python3", "a.py"])
    (True, False)
    """
    name, arguments = (base_name(words[0]), words[1:]) if words else ("", ())
    needed = SERVERS.get(name)
    if needed is None or not ENDING.isdisjoint(arguments):
        return False
    return not needed or any(each in arguments for each in needed)


def sleeps_forever(words: Sequence[str]) -> bool:
    """Return True for ``sleep infinity``, ``tail -f /dev/null`` and their other spellings."""
    name, arguments = (base_name(words[0]), words[1:]) if words else ("", ())
    if name == "sleep":
        return "inf" in arguments or "infinity" in arguments
    return (
        name == "tail"
        and "/dev/null" in arguments
        and any(argument in ("-f", "-F", "--follow") for argument in arguments)
    )


FOLLOWING: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "inotifywait": ((), ("-m", "--monitor")),
    "journalctl": ((), ("-f", "--follow")),
    "kubectl": (("get",), ("-w", "--watch", "--watch=true", "--watch-only", "--watch-only=true")),
    "mc": (("mirror",), ("-w", "--watch", "-a", "--active-active")),
}
"""Programs that never end by themselves with one of some options, and the subcommand that has these; none for
all. Source: their reference documentation."""


def never_ends(words: Sequence[str]) -> bool:
    """Return True for a command that runs until it gets a signal, because it sleeps or follows changes.

    >>> never_ends(["mc", "mirror", "--watch", "a", "b"]), never_ends(["mc", "mirror", "a", "b"])
    (True, False)
    """
    name = base_name(words[0]) if words else ""
    subcommands, options = FOLLOWING.get(name, ((), ()))
    of_subcommand = not subcommands or any(word in subcommands for word in words)
    if sleeps_forever(words) or (of_subcommand and any(word in options for word in words[1:])):
        return not any(word.startswith(("--pid", "--request-timeout")) for word in words)
    return False


@bounded_cache
def official_image(image: str) -> str:
    """Return the name of an official image of Docker Hub; empty for another image.

    >>> official_image("docker.io/library/nginx:1.27"), official_image("acme/nginx")
    ('nginx', '')
    """
    found = _OFFICIAL.fullmatch(image)
    return found[1] if found else ""
