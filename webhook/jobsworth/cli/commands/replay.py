"""``jobsworth replay``: replay a recorded Job, with its failure policy and with another one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from jobsworth.cli.cluster_options import ClusterOptions, reading_client, target_of
from jobsworth.cli.command import Command
from jobsworth.cli.missing_extras import missing_extra
from jobsworth.cli.options import Options, arguments, integer, nested, text, words
from jobsworth.cli.output_files import outputs_of, write_lines
from jobsworth.cli.server_options import ServerOptions, server_of
from jobsworth.cli.terminal import print_note
from jobsworth.printable import printable
from jobsworth.usage_error import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.api.api_server import ApiServer
    from jobsworth.whatif.replay.planner_replay import Replay
    from jobsworth.whatif.replay.policy_comparison import PolicyComparison
    from jobsworth.whatif.replay.recording import Recording

EXIT_DONE, EXIT_UNREADABLE = 0, 2
FORMATS = ("text", "markdown", "json", "html")


class ReplayOptions(Options):
    """The options of ``jobsworth replay``."""

    cluster = nested(ClusterOptions)
    namespace = text(
        short="-n",
        metavar="NAME",
        help="Read the Jobs from a cluster, in this namespace; default with --context or --kubeconfig: the "
        "context's namespace.",
    )
    request_timeout = integer(
        default=30, metavar="SECONDS", help="Timeout of a request to the cluster."
    )
    job = text(metavar="NAME", help="Of several Jobs in the files, replay this one.")
    with_ = text(
        metavar="FILE",
        help="Compare with the failure policy of the Job or CronJob in this file: what it would have done "
        "with the same failures.",
    )
    output = words(
        short="-o",
        metavar="FORMAT[=FILE]",
        help="text, markdown, json, or html (a timeline); several may be given.",
    )
    server = nested(ServerOptions)
    paths = arguments("FILE|JOB...")


def run(options: ReplayOptions) -> int:
    """Replay Jobs, and return the exit code.

    Raises:
        UsageError: an option's value or a file is wrong.
    """
    outputs = outputs_of(options.output, FORMATS)
    server = server_of(options.server)
    other = None if options.with_ is None else _other(options.with_, server)
    try:
        recordings = list(_recordings(options, server))
    except ImportError as error:
        raise UsageError(missing_extra("connections to a cluster", "cluster", error.name)) from None
    except _ClusterError as error:
        print(printable(f"Error: {error}"), file=sys.stderr)
        return EXIT_UNREADABLE
    if len(recordings) > 1 and any(name in ("html", "json") for name, _ in outputs):
        raise UsageError("--output html and json show one Job: choose it with --job")
    from jobsworth.whatif.replay.planner_replay import replay

    replays = [(each, replay(each)) for each in recordings]
    compared = [
        (recording, replayed, _compared(recording, replayed, options.with_, other, server))
        for recording, replayed in replays
    ]
    for name, file in outputs:
        write_lines(_rendered(name, compared), file)
    return EXIT_DONE


class _ClusterError(Exception):
    """A call to the cluster failed; the message is for users."""


def _recordings(options: ReplayOptions, server: ApiServer) -> Iterator[Recording]:
    target = options.cluster.kubeconfig or options.cluster.context
    if options.namespace is None and target is None:
        from jobsworth.files.recordings.recording_files import recordings_in

        yield from recordings_in(options.paths, server, options.job)
        return
    if options.job is not None:
        raise UsageError("--job is for files: name the Jobs of a cluster as arguments")
    from jobsworth.client.api_errors import ApiError
    from jobsworth.client.rest_config import rest_config
    from jobsworth.files.recordings.recorded_cluster import RIGHTS, recording_of

    try:
        with rest_config(target_of(options.cluster)) as config:
            client = reading_client(config, timeout=options.request_timeout)
            namespace = options.namespace or config.namespace
            for path in options.paths:
                name = path.removeprefix("job/")
                yield recording_of(client, namespace, name, server, config.name, note=print_note)
    except ApiError as error:
        advice = f": {RIGHTS}" if error.code == 403 else ""
        raise _ClusterError(f"{error}{advice}") from None


def _other(path: str, server: ApiServer) -> dict[str, Any]:
    """Return the spec of the Job, or of the CronJob's Job, in a file."""
    from jobsworth.files.defaulted_manifests import defaulter
    from jobsworth.files.simulations.simulated_manifests import read_manifest
    from jobsworth.validation.engine import engine_for

    manifest = read_manifest(path, server, defaulter(server, (), print_note))
    if manifest.object["kind"] == "JobSet":
        raise InputError(f"{path}: a recording is of one Job. Name a file with a Job or CronJob")
    engine = engine_for(server)
    spec: dict[str, Any] = engine.created_job(engine.decode_object(manifest.value))["spec"]
    return spec


def _compared(
    recording: Recording,
    replayed: Replay,
    name: str | None,
    other: dict[str, Any] | None,
    server: ApiServer,
) -> PolicyComparison | None:
    """Compare a recording with another policy.

    Raises:
        InputError: the API server would reject the recorded Job with this policy.
    """
    if name is None or other is None:
        return None
    from jobsworth.validation.engine import engine_for
    from jobsworth.whatif.replay.policy_comparison import as_new, compare_policies, with_policy

    findings = engine_for(server).validate(as_new(with_policy(recording.manifest, other)))
    errors = [each for each in findings if each.severity == "error"]
    if errors:
        lines = [f"{each.field}: {each.message}" for each in errors]
        raise InputError(
            f"the API server rejects Job {recording.job.name} with the failure policy of {name}:",
            *lines,
        )
    return compare_policies(recording, replayed, name, other)


def _rendered(
    name: str, compared: list[tuple[Recording, Replay, PolicyComparison | None]]
) -> Iterator[str]:
    for number, (recording, replayed, comparison) in enumerate(compared):
        if number and name == "text":
            yield ""
        if name == "json":
            from jobsworth.reports import replay_json

            yield replay_json.render(recording, replayed, comparison)
        elif name == "markdown":
            from jobsworth.reports import replay_markdown

            yield from replay_markdown.render(recording, replayed, comparison)
        else:
            from jobsworth.whatif.replay.replayed_timeline import replayed_timeline

            record = replayed_timeline(recording, replayed)
            if name == "html":
                from jobsworth.whatif.timelines.timeline_page import timeline_page

                yield timeline_page(record, recorded_in=recording.file)
            else:
                from jobsworth.reports import replay_text
                from jobsworth.whatif.timelines.pod_chart import chart_lines

                chart = chart_lines(record.job, record.end)
                yield from replay_text.render(recording, replayed, chart, comparison)


COMMAND = Command(
    "replay",
    help="""Show what happened to a Job, and what another failure policy would have done.

For each Pod: how it ended, the rule of podFailurePolicy that took the failure, and what counted towards which
limit. With --with: the same failures under another Job's failure policy, the first point where the two part,
and what follows as far as the recording knows.

FILE has the Job, its Pods and its Events, as kubectl get job,pods,events -o yaml prints them. With
--namespace, --context or --kubeconfig, JOB is the name of a Job of a cluster, which is only read. The
decisions are those of the Job controller. What the recording does not have is reported as unknown. Exit
codes: 0, 2 if a file or the cluster cannot be read, the API server rejects the other policy, or the command
line is wrong.""",
    epilog="""\b
Examples:
  jobsworth replay -n batch train
  kubectl get job,pods,events -n batch -o yaml | jobsworth replay --job train -
  jobsworth replay recording.yaml --with job.yaml
  jobsworth replay recording.yaml --with job.yaml --output markdown
  jobsworth replay -n batch train --output text --output html=train.html
""",
    options=ReplayOptions,
    run=run,
)
