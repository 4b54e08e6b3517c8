"""``jobsworth serve``: run the admission webhook."""

from __future__ import annotations

import gc
from pathlib import Path

from jobsworth.cli.command import Command, InputError, UsageError
from jobsworth.cli.options import (
    Options,
    choice,
    flag,
    integer,
    nested,
    text,
    whole_number,
    words,
)
from jobsworth.cli.profile_options import ProfileOptions, profile_of
from jobsworth.cli.server_options import ServerOptions, server_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.admission.decision import ApiVerdict, NamespaceLabels
    from jobsworth.cli.profile_options import Profile
    from jobsworth.policy.policy_set import PolicySet
    from jobsworth.serving.serving_settings import Files, ServingSettings

EXTRA = "requires the webhook extra: run pip install 'jobsworth[webhook]'"
DEVELOPMENT_FOLDER = "certs"
DEVELOPMENT_HOSTS = ("localhost", "127.0.0.1", "::1")
EVERY_ADDRESS = ("0.0.0.0", "::", "")


class ServeOptions(Options):
    """The options of ``jobsworth serve``."""

    server = nested(ServerOptions)
    policy = words(
        metavar="PATH",
        help="A file or folder of JobPolicy documents; may be given several times.",
    )
    profiles = nested(ProfileOptions)
    bind = text(metavar="ADDRESS:PORT", default="0.0.0.0:8443", help="Address of the webhook.")
    monitor_bind = text(
        metavar="ADDRESS:PORT",
        default="0.0.0.0:8080",
        help="Address of /healthz, /readyz and /metrics.",
    )
    tls_cert = text(metavar="FILE", help="The certificate with its chain (PEM).")
    tls_key = text(metavar="FILE", help="Its private key (PEM, without a passphrase).")
    self_signed = flag(
        help=f"For development: create a certificate for localhost in {DEVELOPMENT_FOLDER}/."
    )
    client_ca = text(
        metavar="FILE",
        help="Require a client certificate of this CA (PEM), for example the API server's.",
    )
    workers = integer(metavar="N", default=2, help="Processes.")
    threads = integer(metavar="N", default=4, help="Threads per process.")
    drain_seconds = text(
        metavar="N",
        default="10",
        help="After SIGTERM, keep serving for this long, not ready, until clients use other replicas.",
    )
    graceful_seconds = text(
        metavar="N", default="15", help="After that, wait this long for requests in flight."
    )
    api_verdict: ApiVerdict = choice(
        default="deny",
        choices=("deny", "warn", "off"),
        help="What to do with objects that the API server itself would reject.",
    )
    log = choice(
        default="requests",
        choices=("requests", "denials"),
        help="Log all requests, or only denied ones.",
    )
    namespaces_from_cluster = flag(
        help="Read namespace labels from the cluster if a policy selects by them."
    )


def run(options: ServeOptions) -> int:
    """Serve until SIGTERM or SIGINT, and return the exit code.

    Raises:
        UsageError: an option's value or a policy is invalid, or an address cannot be bound.
    """
    try:
        from jobsworth.serving import launch
        from jobsworth.serving.serving_settings import ServingSettings
    except ImportError:
        raise UsageError(EXTRA) from None
    gc.enable()  # other commands end before it would run
    server = server_of(options.server)
    settings = ServingSettings(
        bind=address(options.bind, "--bind"),
        monitor_bind=address(options.monitor_bind, "--monitor-bind"),
        workers=options.workers,
        threads=options.threads,
        drain_seconds=_number("--drain-seconds", options.drain_seconds),
        graceful_seconds=_number("--graceful-seconds", options.graceful_seconds),
        api_verdict=options.api_verdict,
        log_requests=options.log == "requests",
        files=_files(options),
    )
    profile = profile_of(options.profiles.profile, options.profiles.profile_enforcement)
    load = _policies(settings.files.policies, profile)
    load()  # report policy errors before serving
    labels = _namespace_labels() if options.namespaces_from_cluster else None
    announce = (lambda: _announce(settings)) if options.self_signed else (lambda: None)
    try:
        launch.serve(settings, server, load, labels, announce)
    except OSError as error:
        raise UsageError(
            f"cannot bind --monitor-bind {options.monitor_bind}: {error.strerror or error}"
        ) from None
    except SystemExit as ended:
        return int(ended.code or 0)


def address(text: str, option: str) -> tuple[str, int]:
    """Parse ``host:port``, ``[host]:port`` or ``:port``.

    >>> address("[::1]:8443", "--bind"), address(":8443", "--bind")
    (('::1', 8443), ('0.0.0.0', 8443))

    Raises:
        UsageError: the text has another form.
    """
    host, colon, port = text.rpartition(":")
    bare = host.removeprefix("[").removesuffix("]")
    number = whole_number(port)
    if not colon or number is None or number > 65535 or (":" in bare and bare == host):
        raise UsageError(
            f'{option}: "{text}" is not an address; use ADDRESS:PORT, for example 0.0.0.0:8443'
        )
    return bare or "0.0.0.0", number


def _number(option: str, text: str) -> int:
    number = whole_number(text)
    if number is None:
        raise UsageError(f'{option}: "{text}" is not a whole number of 0 or more')
    return number


def _files(options: ServeOptions) -> Files:
    from jobsworth.serving.serving_settings import Files

    certificate, key = options.tls_cert, options.tls_key
    policies = tuple(map(Path, options.policy))
    client_ca = Path(options.client_ca) if options.client_ca else None
    if options.self_signed:
        if certificate or key:
            raise UsageError("--self-signed creates a certificate: omit --tls-cert and --tls-key")
        made = _development_certificate()
        return Files(policies=policies, certificate=made[0], key=made[1], client_ca=client_ca)
    if not certificate or not key:
        raise UsageError("no certificate: set --tls-cert and --tls-key, or use --self-signed")
    return Files(
        policies=policies, certificate=Path(certificate), key=Path(key), client_ca=client_ca
    )


def _development_certificate() -> tuple[Path, Path]:
    try:
        from jobsworth.certificates import development
    except ImportError:
        raise UsageError(EXTRA) from None
    try:
        paths = development.ensure(Path(DEVELOPMENT_FOLDER), DEVELOPMENT_HOSTS)
    except development.FilesExist as error:
        raise UsageError(f"{error}; jobsworth did not create them: use --tls-cert") from None
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}") from None
    return paths.certificate, paths.key


def _policies(paths: tuple[Path, ...], profile: Profile | None) -> Callable[[], PolicySet]:
    from jobsworth.policy.policy_set import PolicySet

    if not paths and profile is None:
        return lambda: PolicySet(())
    from jobsworth.cli.inputs.policy_files import load_policies

    return lambda: load_policies([str(path) for path in paths], profile)


def _namespace_labels() -> NamespaceLabels:
    from jobsworth.admission.request_log import Log
    from jobsworth.client.namespace_labels import labels_from_cluster

    def failed(namespace: str, error: Exception) -> None:
        Log().event("error", "labels of a namespace unknown", namespace=namespace, error=str(error))

    try:
        return labels_from_cluster(failed)
    except ImportError:
        raise UsageError(
            "--namespaces-from-cluster requires the cluster extra: run pip install 'jobsworth[cluster]'"
        ) from None


def _announce(settings: ServingSettings) -> None:
    host, port = settings.bind
    host = "localhost" if host in EVERY_ADDRESS else host
    try:
        print(curl_line(f"[{host}]" if ":" in host else host, port), flush=True)
    except OSError as error:  # not one of an address
        raise InputError(f"standard output cannot be written: {error.strerror}") from None


def curl_line(host: str, port: int) -> str:
    """Return a curl command that sends the webhook an invalid Job."""
    import json
    from shlex import quote

    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "example", "namespace": "default"},
        "spec": {
            "backoffLimitPerIndex": 1,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [{"name": "main", "image": "busybox:1.36"}],
                }
            },
        },
    }
    review = {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "00000000-0000-4000-8000-000000000001",
            "operation": "CREATE",
            "kind": {"group": "batch", "version": "v1", "kind": "Job"},
            "resource": {"group": "batch", "version": "v1", "resource": "jobs"},
            "name": "example",
            "namespace": "default",
            "userInfo": {"username": "developer"},
            "object": job,
        },
    }
    body = quote(json.dumps(review, separators=(",", ":")))
    ca = quote(str(Path(DEVELOPMENT_FOLDER).absolute() / "ca.crt"))
    return (
        f"curl --cacert {ca} -H 'Content-Type: application/json' "
        f"--data {body} https://{host}:{port}/validate"
    )


COMMAND = Command(
    "serve",
    help="""Serve the admission webhook: POST /mutate and POST /validate, over TLS.

Policies and the certificate are reloaded when their files change. /healthz, /readyz and /metrics are
served on a separate port without TLS. On SIGTERM, it drains connections, then stops.""",
    epilog="""\b
Examples:
  jobsworth serve --self-signed                      # for development; prints a curl line
  jobsworth serve --self-signed --policy policies/
  jobsworth serve --self-signed --profile baseline --profile-enforcement deny
  jobsworth serve --tls-cert /tls/tls.crt --tls-key /tls/tls.key \\
      --policy /policies --kubernetes-version 1.36
""",
    options=ServeOptions,
    run=run,
)
