"""``jobsworth serve``: the admission webhook."""

from __future__ import annotations

import gc
from pathlib import Path

from jobsworth.cli import server_options
from jobsworth.cli.command import Command, Option, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jobsworth.admission.decision import NamespaceLabels
    from jobsworth.policy.policy_set import PolicySet
    from jobsworth.serving.serving_settings import Files, Settings

EXTRA = "it takes the webhook extra: pip install 'jobsworth[webhook]'"
DEVELOPMENT_FOLDER = "certs"
DEVELOPMENT_HOSTS = ("localhost", "127.0.0.1", "::1")
EVERY_ADDRESS = ("0.0.0.0", "::", "")


def run(values: dict[str, Any]) -> int:
    """Serve until told to stop, and return the exit code.

    Raises:
        UsageError: an option's value is wrong, a policy is, or an address cannot be bound.
    """
    try:
        from jobsworth.serving import launch
    except ImportError:
        raise UsageError(EXTRA) from None
    gc.enable()  # other commands are over before it would run
    chosen = server_options.server_of(values)
    settings = settings_of(values)
    load = _policies(settings.files.policies)
    load()  # what is wrong with a policy is told before anything is served
    labels = _namespace_labels() if values["namespaces_from_cluster"] else None
    told = (lambda: _tell(settings)) if values["self_signed"] else (lambda: None)
    try:
        launch.serve(settings, chosen, load, labels, told)
    except OSError as error:
        raise UsageError(
            f"cannot bind --monitor-bind {values['monitor_bind']}: {error.strerror or error}"
        ) from None
    except SystemExit as ended:
        return int(ended.code or 0)


def settings_of(values: dict[str, Any]) -> Settings:
    """How to serve, as the options say.

    Raises:
        UsageError: they contradict each other, or an address or number is none.
    """
    from jobsworth.serving.serving_settings import Settings

    return Settings(
        bind=address(values["bind"], "--bind"),
        monitor_bind=address(values["monitor_bind"], "--monitor-bind"),
        workers=values["workers"],
        threads=values["threads"],
        drain_seconds=_number(values, "drain_seconds"),
        graceful_seconds=_number(values, "graceful_seconds"),
        requests_per_worker=_number(values, "requests_per_worker"),
        api_verdict=values["api_verdict"],
        log_requests=values["log"] == "requests",
        files=_files(values),
    )


def address(text: str, option: str) -> tuple[str, int]:
    """The host and port in ``host:port``, ``[host]:port`` or ``:port``.

    >>> address("[::1]:8443", "--bind"), address(":8443", "--bind")
    (('::1', 8443), ('0.0.0.0', 8443))

    Raises:
        UsageError: it is not of that form.
    """
    host, colon, port = text.rpartition(":")
    bare = host.removeprefix("[").removesuffix("]")
    numeric = port.isascii() and port.isdigit() and int(port) <= 65535
    if not colon or not numeric or (":" in bare and bare == host):
        raise UsageError(f'{option}: "{text}" is not of the form ADDRESS:PORT, as in 0.0.0.0:8443')
    return bare or "0.0.0.0", int(port)


def _number(values: dict[str, Any], key: str) -> int:
    text = values[key]
    if not (text.isascii() and text.isdigit()):
        option = f"--{key.replace('_', '-')}"
        raise UsageError(f'{option}: "{text}" is not a whole number from 0')
    return int(text)


def _files(values: dict[str, Any]) -> Files:
    from jobsworth.serving.serving_settings import Files

    certificate, key = values["tls_cert"], values["tls_key"]
    policies = tuple(Path(path) for path in filter(None, (values["policy"] or "").split(",")))
    client_ca = Path(values["client_ca"]) if values["client_ca"] else None
    if values["self_signed"]:
        if certificate or key:
            raise UsageError(
                "--self-signed makes a certificate: leave out --tls-cert and --tls-key"
            )
        made = _development_certificate()
        return Files(policies=policies, certificate=made[0], key=made[1], client_ca=client_ca)
    if not certificate or not key:
        raise UsageError("name a certificate with --tls-cert and --tls-key, or use --self-signed")
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
    except development.AlreadyThere as error:
        raise UsageError(f"{error}; they are none that jobsworth made: use --tls-cert") from None
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}") from None
    return paths.certificate, paths.key


def _policies(paths: tuple[Path, ...]) -> Callable[[], PolicySet]:
    from jobsworth.policy.policy_set import PolicySet

    if not paths:
        return lambda: PolicySet(())
    from jobsworth.cli.inputs.policy_files import load_policies

    return lambda: load_policies([str(path) for path in paths])


def _namespace_labels() -> NamespaceLabels:
    from jobsworth.admission.request_log import Log
    from jobsworth.client.namespace_labels import labels_from_cluster

    def failed(namespace: str, error: Exception) -> None:
        Log().event("error", "labels of a namespace unknown", namespace=namespace, error=str(error))

    try:
        return labels_from_cluster(failed)
    except ImportError:
        raise UsageError(
            "--namespaces-from-cluster takes the cluster extra: pip install 'jobsworth[cluster]'"
        ) from None


def _tell(settings: Settings) -> None:
    host, port = settings.bind
    host = "localhost" if host in EVERY_ADDRESS else host
    print(curl_line(f"[{host}]" if ":" in host else host, port), flush=True)


def curl_line(host: str, port: int) -> str:
    """A command that asks the webhook about a Job that no API server would have."""
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
    authority = quote(str(Path(DEVELOPMENT_FOLDER).absolute() / "ca.crt"))
    return (
        f"curl --cacert {authority} -H 'Content-Type: application/json' "
        f"--data {body} https://{host}:{port}/validate"
    )


COMMAND = Command(
    "serve",
    help="""Serve the admission webhook: POST /mutate and POST /validate, over TLS.

Policies and the certificate are read again when their files change. /healthz, /readyz and /metrics
are on a port of their own, without TLS. SIGTERM drains, then stops.""",
    epilog="""\b
Examples:
  jobsworth serve --self-signed                      # for development; prints a curl line
  jobsworth serve --self-signed --policy policies/
  jobsworth serve --tls-cert /tls/tls.crt --tls-key /tls/tls.key \\
      --policy /policies --kubernetes-version 1.36 --allow-privileged
""",
    options=(
        *server_options.OPTIONS,
        Option(
            "--policy",
            metavar="PATH",
            repeated=True,
            help="A file or folder of JobPolicy documents; may be given several times.",
        ),
        Option(
            "--bind",
            metavar="ADDRESS:PORT",
            default="0.0.0.0:8443",
            help="Where to serve the webhook.",
        ),
        Option(
            "--monitor-bind",
            metavar="ADDRESS:PORT",
            default="0.0.0.0:8080",
            help="Where to serve /healthz, /readyz and /metrics.",
        ),
        Option("--tls-cert", metavar="FILE", help="The certificate with its chain, PEM."),
        Option("--tls-key", metavar="FILE", help="Its private key, PEM, without a passphrase."),
        Option(
            "--self-signed",
            flag=True,
            help=f"Make a certificate for localhost in {DEVELOPMENT_FOLDER}/, for development.",
        ),
        Option(
            "--client-ca",
            metavar="FILE",
            help="Let in only clients with a certificate of this CA, PEM: the API server's.",
        ),
        Option("--workers", metavar="N", integer=True, default=2, help="Processes."),
        Option("--threads", metavar="N", integer=True, default=4, help="Threads of each process."),
        Option(
            "--drain-seconds",
            metavar="N",
            default="10",
            help="After SIGTERM, how long to serve on, not ready, while clients are sent elsewhere.",
        ),
        Option(
            "--graceful-seconds",
            metavar="N",
            default="15",
            help="After that, how long to wait for what is in flight.",
        ),
        Option(
            "--requests-per-worker",
            metavar="N",
            default="100000",
            help="After how many requests a process is replaced; 0 for never.",
        ),
        Option(
            "--api-verdict",
            default="deny",
            choices=("deny", "warn", "off"),
            help="What to make of objects that the API server itself would refuse.",
        ),
        Option(
            "--log",
            default="requests",
            choices=("requests", "denials"),
            help="Log every request, or only those that are not allowed.",
        ),
        Option(
            "--namespaces-from-cluster",
            flag=True,
            help="Ask the cluster for the labels of namespaces, where a policy looks at them.",
        ),
    ),
    run=run,
    takes_paths=False,
)
