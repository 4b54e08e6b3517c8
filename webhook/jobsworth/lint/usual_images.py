"""Facts about usual images: the program that they start, and the shells that they have.

Sources: the ENTRYPOINT and FROM instructions of the Dockerfiles of these projects, in November 2026.
"""

from __future__ import annotations

from collections.abc import Sequence

from jobsworth.record import Record
from kube_cel.formats.bounded_cache import bounded_cache

ENTRYPOINTS: dict[str, tuple[str, ...]] = {
    "alpine/git": ("git",),
    "alpine/helm": ("helm",),
    "amazon/aws-cli": ("aws",),
    "aws-cli/aws-cli": ("aws",),
    "bitnami/kubectl": ("kubectl",),
    "curl/curl": ("curl",),
    "curlimages/curl": ("curl",),
    "dbt-labs/dbt-postgres": ("dbt",),
    "flyway/flyway": ("flyway",),
    "git-sync/git-sync": ("git-sync",),
    "hashicorp/packer": ("packer",),
    "hashicorp/terraform": ("terraform",),
    "kopia/kopia": ("kopia",),
    "liquibase/liquibase": ("liquibase",),
    "migrate/migrate": ("migrate",),
    "minio/mc": ("mc",),
    "opentofu/opentofu": ("tofu",),
    "peakcom/s5cmd": ("s5cmd",),
    "rancher/kubectl": ("kubectl",),
    "rclone/rclone": ("rclone",),
    "redgate/flyway": ("flyway",),
    "registry.k8s.io/kubectl": ("kubectl",),
    "restic/restic": ("restic",),
    "velero/velero": ("velero",),
}
"""The programs that images start with the arguments of a container, by the end of the name of the image."""


class Family(Record):
    """A family of images, by what their containers can run.

    Attributes:
        name: its name in messages.
        shells: the shells that its images have.
        dialect: the shell that ``sh`` is: ``ash`` (busybox), ``bash`` or ``dash``; empty for none.
    """

    name: str
    shells: tuple[str, ...] = ()
    dialect: str = ""


ALPINE = Family("Alpine", ("sh", "ash"), "ash")
BUSYBOX = Family("busybox", ("sh", "ash"), "ash")
DEBIAN = Family("Debian or Ubuntu", ("sh", "bash", "dash"), "dash")
RED_HAT = Family("Red Hat", ("sh", "bash"), "bash")
NO_SHELL = Family("no base image")

OF_ALPINE = frozenset(
    (
        "alpine/curl", "alpine/git", "alpine/psql", "curlimages/curl", "curl/curl", "docker",
        "hashicorp/terraform", "hashicorp/vault", "migrate/migrate", "rclone/rclone", "restic/restic",
    )
)  # fmt: skip
"""Images whose every tag is built on Alpine, without bash."""

OF_DEBIAN = frozenset(
    (
        "debian", "gcc", "golang", "httpd", "mariadb", "memcached", "nginx", "node", "perl", "php",
        "postgres", "python", "redis", "ruby", "rust", "tomcat", "ubuntu", "valkey/valkey",
    )
)  # fmt: skip
"""Images that are built on Debian or Ubuntu, except for tags that name Alpine."""

OF_RED_HAT = frozenset(
    (
        "almalinux", "amazon/aws-cli", "amazonlinux", "aws-cli/aws-cli", "centos", "fedora", "mysql",
        "oraclelinux", "rockylinux", "ubi8/ubi", "ubi8/ubi-minimal", "ubi9/ubi", "ubi9/ubi-minimal",
    )
)  # fmt: skip
WITH_BASH_ON_ALPINE = frozenset(("postgres",))
"""Images on Alpine that install bash."""
WITHOUT_SHELL = frozenset(("rancher/kubectl", "registry.k8s.io/kubectl", "surrealdb/surrealdb"))
"""Images with one program and no shell."""
DISTROLESS = ("gcr.io/distroless/", "cgr.dev/chainguard/static", "registry.k8s.io/pause")
RUN_AS_ROOT = frozenset(
    (
        "almalinux", "alpine", "alpine/git", "alpine/helm", "alpine/k8s", "amazon/aws-cli", "amazonlinux",
        "aws-cli/aws-cli", "bash", "busybox", "buildpack-deps", "cassandra", "centos", "debian",
        "dtzar/helm-kubectl", "eclipse-temurin", "fedora", "gcc", "golang", "google/cloud-sdk",
        "hashicorp/terraform", "httpd", "kopia/kopia", "mariadb", "maven", "migrate/migrate", "minio/mc",
        "mongo", "mysql", "nginx", "node", "openjdk", "perl", "php", "postgres", "python", "rabbitmq",
        "rclone/rclone", "redis", "restic/restic", "rockylinux", "ruby", "rust", "tomcat", "ubuntu",
    )
)  # fmt: skip
"""Images whose Dockerfiles have no USER: their containers run as root, even if a script of theirs changes the
user later."""
NAMED_USERS = {
    "curl/curl": "curl_user", "curlimages/curl": "curl_user", "haproxy": "haproxy",
    "jenkins/jenkins": "jenkins", "liquibase/liquibase": "liquibase", "memcached": "memcache",
    "mikefarah/yq": "yq",
}  # fmt: skip
"""Images whose USER is a name, of which the kubelet cannot tell that it is not root."""
_HUB = (
    "docker.io/library/", "docker.io/", "index.docker.io/", "mirror.gcr.io/library/",
    "public.ecr.aws/docker/library/", "library/",
)  # fmt: skip


@bounded_cache
def repository(image: str) -> str:
    """Return the name of an image without tag, digest and the names of Docker Hub.

    >>> repository("docker.io/library/python:3.12@sha256:00"), repository("quay.io:443/a/b")
    ('python', 'quay.io:443/a/b')
    """
    name = image.partition("@")[0]
    head, slash, last = name.rpartition("/")
    name = f"{head}{slash}{last.partition(':')[0]}"
    for hub in _HUB:
        if name.startswith(hub):
            return name[len(hub) :]
    return name


def _tag(image: str) -> str:
    return image.partition("@")[0].rpartition("/")[2].partition(":")[2]


def entrypoint(image: str) -> Sequence[str]:
    """Return the words that a usual image starts before the arguments of a container; none if unknown.

    >>> entrypoint("ghcr.io/restic/restic:0.18.0"), entrypoint("acme/restic")
    (('restic',), ())
    """
    name = repository(image)
    return ENTRYPOINTS.get(name) or ENTRYPOINTS.get("/".join(name.split("/")[-2:]), ())


@bounded_cache
def family_of(image: str) -> Family | None:
    """Return the family of an image; None if it is unknown.

    >>> family_of("python:3.12-alpine").name, family_of("python:3.12-slim").dialect, family_of("acme/work")
    ('Alpine', 'dash', None)
    """
    name, tag = repository(image), _tag(image)
    short = "/".join(name.split("/")[-2:])
    if (short in WITHOUT_SHELL or name.startswith(DISTROLESS)) and not any(
        each in tag for each in ("debug", "dev")
    ):
        return NO_SHELL
    if name == "busybox":
        return BUSYBOX
    if name == "alpine" or name in OF_ALPINE or short in OF_ALPINE:
        return None if any(each in tag for each in ("debian", "ubi", "ubuntu")) else ALPINE
    if name in OF_DEBIAN:
        if "alpine" not in tag:
            return DEBIAN if not tag.endswith(("ubi8", "ubi9", "oracle")) else None
        return None if name in WITH_BASH_ON_ALPINE else ALPINE
    if name in OF_RED_HAT or short in OF_RED_HAT:
        return DEBIAN if "debian" in tag else RED_HAT
    return None


def user_of(image: str) -> str | None:
    """Return the user of a usual image: ``0`` for root, or a name; None for one that is not known.

    >>> user_of("python:3.12-alpine"), user_of("docker.io/curlimages/curl:8.9.1"), user_of("acme/work")
    ('0', 'curl_user', None)
    """
    name = repository(image)
    for each in (name, "/".join(name.split("/")[-2:])):
        if each in RUN_AS_ROOT:
            return "0"
        if each in NAMED_USERS:
            return NAMED_USERS[each]
    return None


_CLIENTS = (
    "aws", "az", "docker", "gcloud", "git", "gsutil", "helm", "jq", "kubectl", "mongodump", "mysql",
    "mysqldump", "node", "pg_dump", "pg_restore", "psql", "python", "python3", "rclone", "redis-cli",
    "restic", "rsync", "scp", "ssh",
)  # fmt: skip
ABSENT = {
    "alpine": frozenset((*_CLIENTS, "bash", "curl", "openssl")),
    "busybox": frozenset((*_CLIENTS, "bash", "curl", "openssl")),
    "debian": frozenset((*_CLIENTS, "curl", "wget")),
    "ubuntu": frozenset((*_CLIENTS, "curl", "wget")),
}
"""Programs that images of a distribution do not have, as they are published."""


OWN_MANAGER = {"alpine": "apk", "busybox": "none", "debian": "apt-get", "ubuntu": "apt-get"}
FOREIGN_MANAGERS = {
    base: frozenset(("apk", "apt", "apt-get", "dnf", "microdnf", "yum"))
    - {own, own.partition("-")[0]}
    for base, own in OWN_MANAGER.items()
}
"""The package managers that images of a distribution do not have."""


def base_image(image: str) -> str:
    """Return the name of an image of a distribution; empty for another one.

    >>> base_image("docker.io/library/alpine:3.20"), base_image("python:3.12")
    ('alpine', '')
    """
    name = repository(image)
    return name if name in ABSENT else ""
