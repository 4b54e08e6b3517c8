"""``jobsworth certs``: certificates of the webhook, in a folder or in a cluster."""

from __future__ import annotations

import datetime
from pathlib import Path

from jobsworth.api.formats.duration import BadDuration, parse
from jobsworth.cli.command import Command, Option, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jobsworth.certificates.rotation import Policy

EXTRA = "it takes the cluster extra: pip install 'jobsworth[cluster]'"
DEFAULT_HOSTS = "localhost,127.0.0.1,::1"


def generate(values: dict[str, Any]) -> int:
    """Make certificates for development, and return the exit code.

    Raises:
        UsageError: files are there already, a name is none, or the folder cannot be written.
    """
    try:
        from jobsworth.certificates import development
        from jobsworth.certificates.leaf import BadName
    except ImportError:
        raise UsageError(EXTRA) from None
    hosts = _words(values["name"] or DEFAULT_HOSTS)
    try:
        made = development.generate(
            Path(values["directory"]),
            hosts,
            lifetime=datetime.timedelta(days=values["days"]),
            overwrite=values["force"],
        )
    except development.AlreadyThere as error:
        raise UsageError(f"{error}; --force overwrites them") from None
    except BadName as error:
        raise UsageError(str(error)) from None
    except OverflowError:
        raise UsageError(
            f"--days {values['days']}: certificates can last until the year 9999"
        ) from None
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}") from None
    for path, what in (
        (made.paths.authority, "what clients trust: the caBundle of a webhook configuration"),
        (made.authority_key, "the authority's private key"),
        (made.paths.certificate, f"the serving certificate, for {', '.join(hosts)}"),
        (made.paths.key, "its private key"),
    ):
        print(f"{path}: {what}")
    print(f"They end on {made.expires:%Y-%m-%d}.")
    return 0


def manage(values: dict[str, Any]) -> int:
    """Look after the certificates of an installation until told to stop, and return the exit code.

    Raises:
        UsageError: the options contradict each other, or no cluster is configured.
    """
    try:
        from jobsworth.cli.commands import certs_manage

        return certs_manage.run(values, policy_of(values))
    except ImportError:
        raise UsageError(EXTRA) from None


def policy_of(values: dict[str, Any]) -> Policy:
    """The rotation policy that the options state.

    Raises:
        UsageError: a duration cannot be read, a name is none, or the times cannot be kept together.
    """
    from jobsworth.certificates.leaf import BadName, general_name, service_names
    from jobsworth.certificates.rotation import BadPolicy, Policy, check

    names = list(_words(values["name"] or ""))
    if values["service"]:
        names += service_names(values["service"], values["namespace"])
    if not names:
        raise UsageError("say whom the certificate is for: --service NAME, or --name HOST")
    try:
        for name in names:
            general_name(name)
        policy = Policy(
            tuple(names),
            lifetime=_duration(values, "duration"),
            renew_before=_duration(values, "renew_before"),
            authority_lifetime=_duration(values, "ca_duration"),
            settle=_duration(values, "settle"),
            overlap=_duration(values, "overlap"),
        )
        check(policy)
    except (BadPolicy, BadName) as error:
        raise UsageError(str(error)) from None
    return policy


def _duration(values: dict[str, Any], key: str) -> datetime.timedelta:
    option = "--" + key.replace("_", "-")
    try:
        duration = datetime.timedelta(microseconds=parse(values[key]) / 1000)
    except (BadDuration, OverflowError) as error:
        raise UsageError(f"{option}: {error}; write it as 2160h, 30m or 45s") from None
    if duration <= datetime.timedelta():
        raise UsageError(f"{option} must be more than nothing: {values[key]}")
    return duration


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in text.split(",") if word)


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
    options=(
        Option("--directory", default="certs", metavar="DIR", help="Where to put them."),
        Option(
            "--name",
            metavar="HOST,...",
            repeated=True,
            help=f"Host names and IP addresses of the server; {DEFAULT_HOSTS} by default.",
        ),
        Option("--days", default=365, integer=True, metavar="DAYS", help="How long they last."),
        Option("--force", flag=True, help="Overwrite what is there."),
    ),
    run=generate,
    takes_paths=False,
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
    options=(
        Option("--namespace", short="-n", default="jobsworth", metavar="NAME",
               help="Where Secret, Lease and Service are."),
        Option("--secret", default="jobsworth-certificates", metavar="NAME",
               help="The Secret that holds the certificates; it is created where it is missing."),
        Option("--lease", default="jobsworth-certificates", metavar="NAME",
               help="The Lease that elects one replica; it is created where it is missing."),
        Option("--service", metavar="NAME",
               help="The webhook's Service: the certificate is for its host names."),
        Option("--name", metavar="HOST,...", repeated=True,
               help="Further host names and IP addresses of the certificate."),
        Option("--mutating-webhook-configuration", metavar="NAME,...", repeated=True,
               help="Whose caBundle to write."),
        Option("--validating-webhook-configuration", metavar="NAME,...", repeated=True,
               help="Whose caBundle to write."),
        Option("--directory", metavar="DIR",
               help="Put ca.crt, tls.crt and tls.key there, for the webhook."),
        Option("--duration", default="2160h", metavar="DURATION",
               help="How long a serving certificate lasts."),
        Option("--renew-before", default="720h", metavar="DURATION",
               help="How long before its end it is renewed."),
        Option("--ca-duration", default="17520h", metavar="DURATION",
               help="How long an authority lasts."),
        Option("--settle", default="30s", metavar="DURATION",
               help="How long after a caBundle was written every API server is taken to know it."),
        Option("--overlap", default="24h", metavar="DURATION",
               help="How long an earlier authority stays in the bundles."),
        Option("--interval", default="10s", metavar="DURATION",
               help="How often to look."),
        Option("--once", flag=True,
               help="Do what is due now, without the Lease, and exit: 0 when all is done, else 1."),
        Option("--kubeconfig", metavar="FILE",
               help="Instead of $KUBECONFIG, ~/.kube/config or the Pod's ServiceAccount."),
        Option("--context", metavar="NAME", help="A context of the kubeconfig."),
    ),
    run=manage,
    takes_paths=False,
)  # fmt: skip
