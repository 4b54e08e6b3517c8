"""The names of usual programs and images: servers, and programs that dump databases."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jobsworth.lint.shells import base_name

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def official_image(image: str) -> str:
    """Return the name of an official image of Docker Hub; empty for another image.

    >>> official_image("docker.io/library/nginx:1.27"), official_image("acme/nginx")
    ('nginx', '')
    """
    found = _OFFICIAL.fullmatch(image)
    return found[1] if found else ""
