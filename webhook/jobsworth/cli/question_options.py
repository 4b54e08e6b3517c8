"""The options of ``jobsworth simulate`` that ask a question: each adds to the scenario."""

from __future__ import annotations

from typing import Any

from jobsworth.cli.options import Options, flag, option, words
from jobsworth.cli.terminal import print_note
from jobsworth.runs.simulation.questions import Questions
from jobsworth.usage_error import UsageError

SPOT = (
    "note: with SpotReclaim the kubelet fails the Pods in place (graceful node shutdown) without deleting "
    "them, so podReplacementPolicy makes no difference. Karpenter, node termination handlers and drains of "
    "AKS or GKE evict them, and then it does: --spot {mean}:EvictionAPI"
)


class QuestionOptions(Options):
    """Questions about a Job, beside its scenario."""

    duration: str | None = option(
        "--duration",
        metavar="DURATION",
        help="How long Pods run: 2h, or logNormal:median=2h,p95=5h (also uniform:min=1h,max=3h, "
        "exponential, normal and weibull).",
    )
    drain: tuple[str, ...] = words(
        "--drain",
        metavar="TIME[:PODS]",
        help="Evict Pods at this time, by default one: 1h:2.",
    )
    spot: str | None = option(
        "--spot",
        metavar="MEAN[:CAUSE]",
        help="Reclaim the spot node of each Pod, on average after this time: 8h. The kubelet "
        "fails the Pod; with 8h:EvictionAPI it is evicted, as by Karpenter and termination handlers.",
    )
    node_lost: tuple[str, ...] = words(
        "--node-lost",
        metavar="TIME[:PODS]",
        help="Lose the node of running Pods at this time, by default of one: 30m. It does not come back.",
    )
    image_typo: bool = flag("--image-typo", help="The image cannot be pulled: no Pod ever starts.")
    controller_restart: tuple[str, ...] = words(
        "--controller-restart",
        metavar="TIME",
        help="Restart the Job and CronJob controllers at this time: 1h.",
    )
    run_now: tuple[str, ...] = words(
        "--run-now", metavar="TIME", help="Create a Job from the CronJob by hand at this time: 30m."
    )
    webhook_away: tuple[str, ...] = words(
        "--webhook-away",
        metavar="TIME:DURATION",
        help="Reject the Jobs of the CronJob from this time on, for this long, as if a webhook were down: "
        "2h:20m.",
    )
    delete_job: tuple[str, ...] = words(
        "--delete-job",
        metavar="TIME",
        help="Delete the Jobs that are not finished at this time, as a user does: 30m.",
    )


def questions_of(options: QuestionOptions) -> Questions:
    """Return what is asked."""
    from jobsworth.runs.simulation.questions import Questions

    given = {name: getattr(options, name) for name in QuestionOptions.declared}
    return Questions(**{name: value for name, value in given.items() if value})


def asked(document: Any, options: QuestionOptions) -> Any:
    """Return a JobScenario document with what the options add.

    Raises:
        UsageError: the value of an option is wrong.
    """
    from jobsworth.runs.simulation.questions import BadQuestion, with_questions

    questions = questions_of(options)
    if not questions:
        return document
    if questions.spot and ":" not in questions.spot:
        print_note(SPOT.format(mean=questions.spot))
    try:
        return with_questions(document, questions)
    except BadQuestion as error:
        option = error.question.replace("_", "-")
        raise UsageError(f"--{option}: {error.problem}") from None
