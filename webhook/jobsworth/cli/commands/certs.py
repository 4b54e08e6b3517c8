"""``jobsworth certs``: certificates of the webhook, in a folder or in a cluster."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jobsworth.admission.decision import ApiVerdict
from jobsworth.cli.cluster_options import ClusterOptions, target_of
from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, flag, group, number, option, words
from jobsworth.cli.policy_options import (
    NativeOptions,
    ProfileOptions,
    exports_of,
    policy_files,
    users_of,
)
from jobsworth.files.policies.profiles import profile_of
from jobsworth.findings.durations import nanoseconds_of
from jobsworth.installation import missing_extra
from jobsworth.usage_error import UsageError
from kube_cel.formats.duration import BadDuration

if TYPE_CHECKING:
    from jobsworth.certificates.process import Registration
    from jobsworth.certificates.rotation import RotationPolicy

EXTRA = missing_extra("certificates", "cluster")
DEFAULT_HOSTS = ("localhost", "127.0.0.1", "::1")


class GenerateOptions(Options):
    """The options of ``jobsworth certs generate``."""

    directory: str = option(
        "--directory", default="certs", metavar="DIR", help="The folder for the files."
    )
    name: tuple[str, ...] = words(
        "--name",
        metavar="HOST,...",
        help=f"Host names and IP addresses of the server; {','.join(DEFAULT_HOSTS)} by default.",
    )
    days: int = option(
        "--days",
        default=365,
        type=number,
        metavar="DAYS",
        help="Validity of the certificates, in days.",
    )
    force: bool = flag("--force", help="Overwrite existing files.")


class ManageOptions(Options):
    """The options of ``jobsworth certs manage``."""

    namespace: str = option(
        "--namespace",
        "-n",
        default="jobsworth",
        metavar="NAME",
        help="Namespace of the Secret, the Lease and the Service.",
    )
    secret: str = option(
        "--secret",
        default="jobsworth-certificates",
        metavar="NAME",
        help="The Secret that stores the certificates; created if missing.",
    )
    issued_secret: str = option(
        "--issued-secret",
        default="",
        metavar="NAME",
        help="Create no certificate: use the one in this Secret, which cert-manager writes, and store "
        "the CAs to trust in --secret.",
    )
    lease: str = option(
        "--lease",
        default="jobsworth-certificates",
        metavar="NAME",
        help="The Lease that elects one replica; created if missing.",
    )
    service: str | None = option(
        "--service",
        metavar="NAME",
        help="The webhook's Service; the certificate is issued for its host names.",
    )
    name: tuple[str, ...] = words(
        "--name",
        metavar="HOST,...",
        help="Additional host names and IP addresses of the certificate.",
    )
    mutating_webhook_configuration: tuple[str, ...] = words(
        "--mutating-webhook-configuration",
        metavar="NAME,...",
        help="The webhook configuration whose caBundle to write.",
    )
    validating_webhook_configuration: tuple[str, ...] = words(
        "--validating-webhook-configuration",
        metavar="NAME,...",
        help="The webhook configuration whose caBundle to write.",
    )
    registration: str | None = option(
        "--registration",
        metavar="FILE",
        help="Create these webhook configurations, as far as the policies require; "
        "each has one webhook, with the strictest failurePolicy to use.",
    )
    registration_owner: str | None = option(
        "--registration-owner",
        metavar="NAME",
        help="The ClusterRole that owns these configurations; by default the namespace.",
    )
    policy: tuple[str, ...] = words(
        "--policy",
        metavar="PATH",
        help="A file or folder of JobPolicy documents, as for the webhook.",
    )
    profiles = group(ProfileOptions)
    native = group(NativeOptions)
    last_good_config_map: str = option(
        "--last-good-config-map",
        default="",
        metavar="NAME",
        help="Store the last valid version of each policy in this ConfigMap; created if missing.",
    )
    last_good_policies: str | None = option(
        "--last-good-policies",
        metavar="DIR",
        help="The folder that this ConfigMap is mounted at, for policies that are invalid at the start.",
    )
    kubernetes_version_file: str | None = option(
        "--kubernetes-version-file",
        metavar="FILE",
        help="Write the release of the API server to this file, for the webhook.",
    )
    api_verdict: ApiVerdict = option(
        "--api-verdict",
        default="deny",
        type=click.Choice(("deny", "warn", "off")),
        help="What the webhook does with objects that the API server itself would reject.",
    )
    ready_url: str = option(
        "--ready-url",
        default="",
        metavar="URL",
        help="Register failurePolicy Fail only after this URL of the webhook has answered 200.",
    )
    queueing_controllers: tuple[str, ...] = words(
        "--queueing-controllers",
        metavar="NAMESPACE/NAME,...",
        help="Service accounts whose mere scheduling updates no webhook receives.",
    )
    directory: str | None = option(
        "--directory",
        metavar="DIR",
        help="Write ca.crt, tls.crt and tls.key to this folder, for the webhook.",
    )
    duration: str = option(
        "--duration", default="2160h", metavar="DURATION", help="Validity of a serving certificate."
    )
    renew_before: str = option(
        "--renew-before",
        default="720h",
        metavar="DURATION",
        help="Renew the serving certificate this long before it expires.",
    )
    ca_duration: str = option(
        "--ca-duration", default="17520h", metavar="DURATION", help="Validity of a CA."
    )
    settle: str = option(
        "--settle",
        default="30s",
        metavar="DURATION",
        help="Assume that every API server has loaded a caBundle this long after it was written.",
    )
    overlap: str = option(
        "--overlap",
        default="24h",
        metavar="DURATION",
        help="Keep a previous CA in the CA bundles for this long.",
    )
    interval: str = option(
        "--interval", default="10s", metavar="DURATION", help="Interval between two checks."
    )
    once: bool = flag(
        "--once",
        help="Do what is due now, without the Lease, and exit: 0 if nothing is left to do, else 1.",
    )
    cluster = group(ClusterOptions)


def generate(options: GenerateOptions) -> int:
    """Create certificates for development, and return the exit code.

    Raises:
        UsageError: files exist, a name is invalid, or the folder cannot be written.
    """
    try:
        from jobsworth.certificates import development
        from jobsworth.certificates.leaf import BadName
    except ImportError:
        raise UsageError(EXTRA) from None
    hosts = options.name or DEFAULT_HOSTS
    try:
        made = development.generate(
            Path(options.directory),
            hosts,
            lifetime=datetime.timedelta(days=options.days),
            overwrite=options.force,
        )
    except development.FilesExist as error:
        raise UsageError(f"{error}; overwrite them with --force") from None
    except BadName as error:
        raise UsageError(str(error)) from None
    except OverflowError:
        raise UsageError(
            f"--days {options.days}: a certificate must expire before the year 10000"
        ) from None
    except OSError as error:
        where = error.filename or options.directory  # a full disk names no file
        raise UsageError(f"cannot write {where}: {error.strerror}") from None
    for path, what in (
        (made.paths.ca, "the CA certificate, for the caBundle of a webhook configuration"),
        (made.ca_key, "the CA's private key"),
        (made.paths.certificate, f"the serving certificate for {', '.join(hosts)}"),
        (made.paths.key, "its private key"),
    ):
        print(f"{path}: {what}")
    print(f"They expire on {made.expires:%Y-%m-%d}.")
    return 0


def manage(options: ManageOptions) -> int:
    """Manage the certificates of an installation until SIGTERM or SIGINT, and return the exit code.

    Raises:
        UsageError: the options contradict each other, or no cluster is configured.
    """
    try:
        from jobsworth.certificates import process
        from jobsworth.serving.policy_files import no_policies

        profile = profile_of(options.profiles.profile, options.profiles.profile_enforcement)
        policies = policy_files(
            options.policy, profile, options.last_good_policies, must_exist=False
        )
        installation = process.Installation(
            namespace=options.namespace,
            secret=options.secret,
            issued_secret=options.issued_secret,
            lease=options.lease,
            mutating=options.mutating_webhook_configuration,
            validating=options.validating_webhook_configuration,
            folder=Path(options.directory) if options.directory else None,
            registration=_registration(options),
            policies=policies or no_policies(),
            last_good_config_map=options.last_good_config_map,
            release_file=(
                Path(options.kubernetes_version_file) if options.kubernetes_version_file else None
            ),
        )
        policy = _policy(options)
        interval = None if options.once else _duration("--interval", options.interval)
        return process.run(target_of(options.cluster), installation, policy, interval)
    except ImportError:
        raise UsageError(EXTRA) from None


def _registration(options: ManageOptions) -> Registration | None:
    """Build the registration from the options.

    Raises:
        UsageError: a queueing controller is not written as NAMESPACE/NAME.
    """
    from jobsworth.certificates.process import Registration

    if not options.registration:
        return None
    return Registration(
        template=Path(options.registration),
        api_verdict=options.api_verdict,
        ready_url=options.ready_url,
        owner=options.registration_owner or "",
        queueing_controllers=users_of(options.queueing_controllers),
        exports=exports_of(options.native),
    )


def _policy(options: ManageOptions) -> RotationPolicy:
    """Build the rotation policy from the options.

    Raises:
        UsageError: a duration or a name is invalid, or the durations contradict each other.
    """
    from jobsworth.certificates.leaf import BadName, general_name, service_names
    from jobsworth.certificates.rotation import BadRotationPolicy, RotationPolicy, check

    if options.issued_secret == options.secret:
        raise UsageError(
            f"--secret and --issued-secret are both {options.secret}: name another Secret in --secret"
        )
    names = list(options.name)
    if options.service:
        names += service_names(options.service, options.namespace)
    if not names and not options.issued_secret:
        raise UsageError("the certificate has no host name: set --service NAME or --name HOST")
    try:
        for name in names:
            general_name(name)
        policy = RotationPolicy(
            tuple(names),
            lifetime=_duration("--duration", options.duration),
            renew_before=_duration("--renew-before", options.renew_before),
            ca_lifetime=_duration("--ca-duration", options.ca_duration),
            settle=_duration("--settle", options.settle),
            overlap=_duration("--overlap", options.overlap),
        )
        check(policy)
    except (BadRotationPolicy, BadName) as error:
        raise UsageError(str(error)) from None
    return policy


def _duration(option: str, text: str) -> datetime.timedelta:
    try:
        duration = datetime.timedelta(microseconds=nanoseconds_of(text) / 1000)
    except (BadDuration, OverflowError) as error:
        raise UsageError(f"{option}: {error}; write it as 2160h, 30m or 45s") from None
    if duration <= datetime.timedelta():
        raise UsageError(f"{option} must be greater than zero: {text}")
    return duration


GENERATE = Command(
    "certs generate",
    help="""Create a CA and a serving certificate for development, in a folder.

Writes ca.crt, ca.key, tls.crt and tls.key (ECDSA P-256), readable by their owner only. Existing files
are not overwritten without --force.""",
    epilog="""\b
Examples:
  jobsworth certs generate
  jobsworth certs generate --directory /tmp/tls --name webhook.example.com
""",
    options=GenerateOptions,
    run=generate,
)

MANAGE = Command(
    "certs manage",
    help="""Create and renew the certificates of an installation in a cluster.

Stores a CA and a serving certificate in a Secret, writes the CA bundle to the caBundle of the webhook
configurations, and writes the serving certificate to a folder that the webhook reads. During a CA
rotation, every CA bundle has the old and the new CA, so that no request fails. Manual edits are
reverted. Run it beside every replica; a Lease elects the one that writes.

With --issued-secret, cert-manager or another issuer creates the certificates. When its CA changes, every CA
bundle has the old and the new CA before the webhook uses the new certificate.

With --registration, it also creates the webhook configurations. failurePolicy Fail applies only to requests
that a policy can deny, and only after the webhook is ready.""",
    epilog="""\b
Examples:
  jobsworth certs manage --namespace jobsworth --directory /run/jobsworth/tls
  jobsworth certs manage --namespace jobsworth --service jobsworth --once
  jobsworth certs manage --issued-secret jobsworth-certificates \\
      --secret jobsworth-trusted-cas --directory /run/jobsworth/tls \\
      --validating-webhook-configuration jobsworth

Durations use Go's format: 2160h, 30m, 45s.
""",
    options=ManageOptions,
    run=manage,
)
