"""``jobsworth certs``: certificates of the webhook, in a folder or in a cluster."""

from __future__ import annotations

import datetime
from pathlib import Path

from jobsworth.api.formats.duration import BadDuration, parse
from jobsworth.cli.cluster_options import ClusterOptions, target_of
from jobsworth.cli.command import Command, UsageError
from jobsworth.cli.options import Options, flag, integer, nested, text, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobsworth.certificates.rotation import Policy

EXTRA = "it takes the cluster extra: pip install 'jobsworth[cluster]'"
DEFAULT_HOSTS = ("localhost", "127.0.0.1", "::1")


class GenerateOptions(Options):
    """The options of ``jobsworth certs generate``."""

    directory = text(default="certs", metavar="DIR", help="Where to put them.")
    name = words(
        metavar="HOST,...",
        help=f"Host names and IP addresses of the server; {','.join(DEFAULT_HOSTS)} by default.",
    )
    days = integer(default=365, metavar="DAYS", help="How long they last.")
    force = flag(help="Overwrite what is there.")


class ManageOptions(Options):
    """The options of ``jobsworth certs manage``."""

    namespace = text(
        short="-n",
        default="jobsworth",
        metavar="NAME",
        help="Where Secret, Lease and Service are.",
    )
    secret = text(
        default="jobsworth-certificates",
        metavar="NAME",
        help="The Secret that holds the certificates; it is created where it is missing.",
    )
    lease = text(
        default="jobsworth-certificates",
        metavar="NAME",
        help="The Lease that elects one replica; it is created where it is missing.",
    )
    service = text(
        metavar="NAME", help="The webhook's Service: the certificate is for its host names."
    )
    name = words(metavar="HOST,...", help="Further host names and IP addresses of the certificate.")
    mutating_webhook_configuration = words(metavar="NAME,...", help="Whose caBundle to write.")
    validating_webhook_configuration = words(metavar="NAME,...", help="Whose caBundle to write.")
    directory = text(metavar="DIR", help="Put ca.crt, tls.crt and tls.key there, for the webhook.")
    duration = text(
        default="2160h", metavar="DURATION", help="How long a serving certificate lasts."
    )
    renew_before = text(
        default="720h", metavar="DURATION", help="How long before its end it is renewed."
    )
    ca_duration = text(default="17520h", metavar="DURATION", help="How long an authority lasts.")
    settle = text(
        default="30s",
        metavar="DURATION",
        help="How long after a caBundle was written every API server is taken to know it.",
    )
    overlap = text(
        default="24h",
        metavar="DURATION",
        help="How long an earlier authority stays in the bundles.",
    )
    interval = text(default="10s", metavar="DURATION", help="How often to look.")
    once = flag(help="Do what is due now, without the Lease, and exit: 0 when all is done, else 1.")
    cluster = nested(ClusterOptions)


def generate(options: GenerateOptions) -> int:
    """Make certificates for development, and return the exit code.

    Raises:
        UsageError: files are there already, a name is none, or the folder cannot be written.
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
        raise UsageError(f"{error}; --force overwrites them") from None
    except BadName as error:
        raise UsageError(str(error)) from None
    except OverflowError:
        raise UsageError(
            f"--days {options.days}: certificates can last until the year 9999"
        ) from None
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}") from None
    for path, what in (
        (made.paths.ca, "what clients trust: the caBundle of a webhook configuration"),
        (made.ca_key, "the private key of the CA"),
        (made.paths.certificate, f"the serving certificate, for {', '.join(hosts)}"),
        (made.paths.key, "its private key"),
    ):
        print(f"{path}: {what}")
    print(f"They end on {made.expires:%Y-%m-%d}.")
    return 0


def manage(options: ManageOptions) -> int:
    """Look after the certificates of an installation until told to stop, and return the exit code.

    Raises:
        UsageError: the options contradict each other, or no cluster is configured.
    """
    try:
        from jobsworth.cli.commands import certs_manage

        installation = certs_manage.Installation(
            namespace=options.namespace,
            secret=options.secret,
            lease=options.lease,
            mutating=options.mutating_webhook_configuration,
            validating=options.validating_webhook_configuration,
            folder=Path(options.directory) if options.directory else None,
        )
        policy = _policy(options)
        interval = None if options.once else _duration("--interval", options.interval)
        return certs_manage.run(target_of(options.cluster), installation, policy, interval)
    except ImportError:
        raise UsageError(EXTRA) from None


def _policy(options: ManageOptions) -> Policy:
    """The rotation policy that the options state.

    Raises:
        UsageError: a duration cannot be read, a name is none, or the times cannot be kept together.
    """
    from jobsworth.certificates.leaf import BadName, general_name, service_names
    from jobsworth.certificates.rotation import BadPolicy, Policy, check

    names = list(options.name)
    if options.service:
        names += service_names(options.service, options.namespace)
    if not names:
        raise UsageError("say whom the certificate is for: --service NAME, or --name HOST")
    try:
        for name in names:
            general_name(name)
        policy = Policy(
            tuple(names),
            lifetime=_duration("--duration", options.duration),
            renew_before=_duration("--renew-before", options.renew_before),
            ca_lifetime=_duration("--ca-duration", options.ca_duration),
            settle=_duration("--settle", options.settle),
            overlap=_duration("--overlap", options.overlap),
        )
        check(policy)
    except (BadPolicy, BadName) as error:
        raise UsageError(str(error)) from None
    return policy


def _duration(option: str, text: str) -> datetime.timedelta:
    try:
        duration = datetime.timedelta(microseconds=parse(text) / 1000)
    except (BadDuration, OverflowError) as error:
        raise UsageError(f"{option}: {error}; write it as 2160h, 30m or 45s") from None
    if duration <= datetime.timedelta():
        raise UsageError(f"{option} must be more than nothing: {text}")
    return duration


GENERATE = Command(
    "certs generate",
    help="""Make an authority and a serving certificate for development, in a folder.

ECDSA P-256; files ca.crt, ca.key, tls.crt and tls.key, readable by their owner alone. What is there
already is not overwritten without --force.""",
    epilog="""\b
Examples:
  jobsworth certs generate
  jobsworth certs generate --directory /tmp/tls --name webhook.example.com --name 192.0.2.7 --days 30
""",
    options=GenerateOptions,
    run=generate,
)

MANAGE = Command(
    "certs manage",
    help="""Look after the certificates of an installation in a cluster, and renew them in time.

Keeps an authority and a serving certificate in a Secret, writes the authority into the caBundle of the
webhook configurations, and puts the serving certificate into a folder that the webhook reads. An authority
is followed by the next one with both in every bundle, so that no request fails. What somebody edits is put
right. It is run beside every replica; a Lease elects the one that writes.""",
    epilog="""\b
Examples:
  jobsworth certs manage --namespace jobsworth --service jobsworth --directory /run/jobsworth/tls
  jobsworth certs manage --namespace jobsworth --service jobsworth --once

Durations are written as Go writes them: 2160h, 30m, 45s.
""",
    options=ManageOptions,
    run=manage,
)
