"""``jobsworth serve``: run the admission webhook."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import click

from jobsworth.admission.decision import ApiVerdict, NamespaceLabels
from jobsworth.api.api_server import RELEASES, ApiServer
from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, flag, group, number, option, whole_number
from jobsworth.cli.policy_options import (
    NativeOptions,
    PolicyOptions,
    exports_of,
    policy_files_of,
)
from jobsworth.cli.process_options import require_posix
from jobsworth.cli.server_options import AUTO, ServerOptions, server_of_release
from jobsworth.installation import how_to_install, missing_extra
from jobsworth.listen_address import EVERY_HOST, BadAddress, CannotListen, parse_address
from jobsworth.policy.policy_set import PolicySet
from jobsworth.printable import printable
from jobsworth.serving.settings import Files, ServingSettings
from jobsworth.usage_error import InputError, UsageError

BIND, MONITOR_BIND = ":8443", ":8080"
LOCAL = "127.0.0.1"
"""The host of both addresses with --self-signed, unless they are given."""
EXTRA = missing_extra("webhooks", "webhook")
DEVELOPMENT_FOLDER = "certs"
DEVELOPMENT_HOSTS = ("localhost", "127.0.0.1", "::1")


class ServedOptions(ServerOptions):
    """Options for the API server that calls the webhook."""

    kubernetes_version: str | None = option(
        "--kubernetes-version",
        metavar="RELEASE",
        help=f"The API server's release, {RELEASES[0]} to {RELEASES[-1]}, or auto, the one that it reports; "
        "default: the newest.",
    )


class ServeOptions(Options):
    """The options of ``jobsworth serve``."""

    server = group(ServedOptions)
    policies = group(PolicyOptions)
    bind: str | None = option(
        "--bind",
        metavar="ADDRESS:PORT",
        help="Address of the webhook; default: :8443, which is every address of IPv4 and IPv6; with "
        "--self-signed 127.0.0.1:8443.",
    )
    monitor_bind: str | None = option(
        "--monitor-bind",
        metavar="ADDRESS:PORT",
        help="Address of /healthz, /readyz and /metrics, without TLS; default: :8080; with --self-signed "
        "127.0.0.1:8080.",
    )
    tls_cert: str | None = option(
        "--tls-cert", metavar="FILE", help="The certificate with its chain (PEM)."
    )
    tls_key: str | None = option(
        "--tls-key", metavar="FILE", help="Its private key (PEM, without a passphrase)."
    )
    self_signed: bool = flag(
        "--self-signed",
        help=f"For development: create a certificate for localhost in {DEVELOPMENT_FOLDER}/.",
    )
    client_ca: str | None = option(
        "--client-ca",
        metavar="FILE",
        help="Require a client certificate of this CA (PEM), for example the API server's.",
    )
    workers: int = option("--workers", default=1, type=number, metavar="N", help="Processes.")
    threads: int = option(
        "--threads",
        default=2,
        type=number,
        metavar="N",
        help="Threads per process that review requests.",
    )
    drain_seconds: str = option(
        "--drain-seconds",
        default="5",
        metavar="SECONDS",
        help="After SIGTERM, keep serving for this long, not ready, until clients use other replicas.",
    )
    graceful_seconds: str = option(
        "--graceful-seconds",
        default="15",
        metavar="SECONDS",
        help="After that, wait this long for requests in flight.",
    )
    api_verdict: ApiVerdict = option(
        "--api-verdict",
        default="deny",
        type=click.Choice(("deny", "warn", "off")),
        help="How to treat objects that the API server itself would reject: deny answers like it. The "
        "chart sets warn, since in a cluster the API server has checked the object before.",
    )
    log: str = option(
        "--log",
        default="requests",
        type=click.Choice(("requests", "denials")),
        help="Log all requests, or only denied ones.",
    )
    namespaces_from_cluster: bool = flag(
        "--namespaces-from-cluster",
        help="Read namespace labels from the cluster if a policy selects by them.",
    )
    native = group(NativeOptions)
    kubernetes_version_file: str | None = option(
        "--kubernetes-version-file",
        metavar="FILE",
        help="A file with the API server's release, which jobsworth certs manage writes; with "
        "--kubernetes-version auto, read it instead of asking the API server.",
    )


def run(options: ServeOptions) -> int:
    """Serve until SIGTERM or SIGINT, and return the exit code.

    Raises:
        UsageError: an option's value or a policy is invalid, or an address cannot be bound.
        InputError: the system is Windows.
    """
    require_posix("serve")
    try:
        from jobsworth.serving import launch
        from jobsworth.serving.policy_files import no_policies
        from jobsworth.serving.settings import ServingSettings
    except ImportError:
        raise UsageError(EXTRA) from None
    gc.enable()  # other commands end before it would run
    server = server_of_release(options.server)
    host = LOCAL if options.self_signed else ""
    settings = ServingSettings(
        bind=_address("--bind", options.bind or host + BIND),
        monitor_bind=_address("--monitor-bind", options.monitor_bind or host + MONITOR_BIND),
        workers=options.workers,
        threads=options.threads,
        drain_seconds=_int_of("--drain-seconds", options.drain_seconds),
        graceful_seconds=_int_of("--graceful-seconds", options.graceful_seconds),
        api_verdict=options.api_verdict,
        log_requests=options.log == "requests",
        readable_log=options.self_signed and sys.stderr.isatty(),
        files=_files(options),
        exports=exports_of(options.native),
    )
    policies = policy_files_of(options.policies) or no_policies()
    asks = options.server.kubernetes_version == AUTO and settings.files.release is None
    labels = _namespace_labels() if options.namespaces_from_cluster else (lambda name: None)
    announce = partial(_announce, settings, server) if options.self_signed else (lambda _: None)
    try:
        ask_release = _asked_release() if asks else None
        launch.serve(settings, server, policies, labels, on_bound=announce, ask_release=ask_release)
    except CannotListen as error:
        raise UsageError(f"{error}; use another --bind or --monitor-bind") from None
    except OSError as error:
        raise UsageError(f"cannot start the server: {error.strerror or error}") from None
    except SystemExit as ended:
        return int(ended.code or 0)


def _address(option: str, text: str) -> tuple[str, int]:
    try:
        return parse_address(text)
    except BadAddress as error:
        raise UsageError(f"{option}: {error}") from None


def _int_of(option: str, text: str) -> int:
    number = whole_number(text)
    if number is None:
        raise UsageError(f'{option}: "{text}" is not a whole number of 0 or more')
    return number


def _files(options: ServeOptions) -> Files:
    from jobsworth.serving.settings import Files

    certificate, key = options.tls_cert, options.tls_key
    release = Path(options.kubernetes_version_file) if options.kubernetes_version_file else None
    client_ca = Path(options.client_ca) if options.client_ca else None
    if options.self_signed:
        if certificate or key:
            raise UsageError("--self-signed creates a certificate: omit --tls-cert and --tls-key")
        made = _development_certificate()
        return Files(certificate=made[0], key=made[1], client_ca=client_ca, release=release)
    if not certificate or not key:
        raise UsageError("no certificate: set --tls-cert and --tls-key, or use --self-signed")
    return Files(certificate=Path(certificate), key=Path(key), client_ca=client_ca, release=release)


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
        where = error.filename or DEVELOPMENT_FOLDER  # a full disk names no file
        raise UsageError(f"cannot write {where}: {error.strerror}") from None
    return paths.certificate, paths.key


def _asked_release() -> Callable[[], str]:
    from jobsworth.client.server_release import release_from_cluster

    try:
        return release_from_cluster()
    except ImportError:
        raise UsageError(
            f"--kubernetes-version auto requires the extra cluster: {how_to_install('cluster')}; or use "
            "--kubernetes-version-file"
        ) from None


def _namespace_labels() -> NamespaceLabels:
    from jobsworth.admission.request_log import Log
    from jobsworth.client.namespace_labels import labels_from_cluster

    def failed(namespace: str, error: Exception) -> None:
        Log().event("error", "labels of a namespace unknown", namespace=namespace, error=str(error))

    try:
        return labels_from_cluster(failed)
    except ImportError:
        raise UsageError(missing_extra("connections to a cluster", "cluster")) from None


def _announce(
    settings: ServingSettings, server_of: Callable[[str], ApiServer], policies: PolicySet
) -> None:
    """Write a review to send, and print how to send it; on a terminal also what is served."""
    import json

    from jobsworth.admission.example_review import example_review
    from jobsworth.listen_address import format_address

    host, port = settings.bind
    address = format_address("localhost" if host in EVERY_HOST else host, port)
    folder = Path(DEVELOPMENT_FOLDER).absolute()
    review = folder / "review.json"
    example = example_review(policies, server_of(""))
    try:
        review.write_text(json.dumps(example, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{review} cannot be written: {error.strerror}") from None
    lines = [curl_line(folder, address, str(review))]
    if settings.readable_log:
        monitor = format_address(*settings.monitor_bind)
        lines = banner(folder, address, monitor, [policy.name for policy in policies.policies])
    try:
        print("\n".join(lines), flush=True)
    except OSError as error:  # not one of an address
        raise InputError(f"standard output cannot be written: {error.strerror}") from None


def banner(folder: Path, address: str, monitor: str, policies: Sequence[str]) -> list[str]:
    """Return what a terminal shows at the start: the addresses, the policies, and how to send a review."""
    named = ", ".join(policies) or "none; add --policy PATH or --profile baseline"
    return [
        f"Serving https://{address}/mutate and /validate, until Ctrl+C.",
        f"Health and metrics: http://{monitor}/readyz and /metrics",
        printable(f"Policies: {named}"),
        "",
        "Review your own Job, in another terminal:",
        f"  jobsworth policy review job.yaml -n default | {curl_line(folder, address, '-')}",
        "Or an example that these policies decide about:" if policies else "Or an example:",
        f"  {curl_line(folder, address, str(folder / 'review.json'))}",
        "",
    ]


def curl_line(folder: Path, address: str, data: str) -> str:
    """Return a curl command that sends the webhook a file, or standard input (``-``)."""
    from shlex import quote

    return (
        f"curl --cacert {quote(str(folder / 'ca.crt'))} -H 'Content-Type: application/json' "
        f"--data-binary {quote(f'@{data}')} https://{address}/validate"
    )


COMMAND = Command(
    "serve",
    help="""Serve the admission webhook: POST /mutate and POST /validate, over TLS.

Policies and the certificate are reloaded when their files change. /healthz, /readyz and /metrics are
served on a separate port without TLS. On SIGTERM, it drains connections, then stops.""",
    epilog="""\b
Examples:
  jobsworth serve --self-signed   # for development; prints how to try it
  jobsworth serve --self-signed --policy policies/
  jobsworth serve --self-signed --profile baseline --profile-enforcement deny
  jobsworth serve --tls-cert /tls/tls.crt --tls-key /tls/tls.key \\
      --policy /policies --kubernetes-version 1.36
""",
    options=ServeOptions,
    run=run,
)
