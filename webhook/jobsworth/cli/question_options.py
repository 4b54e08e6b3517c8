"""The options of ``jobsworth simulate`` that ask a question: each adds to the scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.cli.options import Options, flag, text, words
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from jobsworth.whatif.simulation.questions import Questions


class QuestionOptions(Options):
    """Questions about a Job, beside its scenario."""

    drain = words(
        metavar="TIME[:PODS]",
        help="Evict running Pods at this time, by default one: 1h:2.",
    )
    spot = text(
        metavar="MEAN",
        help="Reclaim the spot node of each Pod, on average after it has run for so long: 8h.",
    )
    node_lost = words(
        metavar="TIME[:PODS]",
        help="Lose the node of running Pods at this time, by default of one: 30m. It does not come back.",
    )
    image_typo = flag(help="The image cannot be pulled: no Pod ever starts.")
    controller_restart = words(
        metavar="TIME", help="Restart the Job and CronJob controllers at this time: 1h."
    )
    run_now = words(metavar="TIME", help="Create a Job from the CronJob by hand at this time: 30m.")


def questions_of(options: QuestionOptions) -> Questions:
    """Return what is asked."""
    from jobsworth.whatif.simulation.questions import Questions

    return Questions(
        drain=options.drain,
        spot=options.spot or "",
        node_lost=options.node_lost,
        controller_restart=options.controller_restart,
        image_typo=options.image_typo,
        run_now=options.run_now,
    )


def asked(document: Any, options: QuestionOptions) -> Any:
    """Return a JobScenario document with what the options add.

    Raises:
        UsageError: the value of an option is wrong.
    """
    from jobsworth.whatif.simulation.questions import BadQuestion, with_questions

    questions = questions_of(options)
    if not questions:
        return document
    try:
        return with_questions(document, questions)
    except BadQuestion as error:
        option = error.question.replace("_", "-")
        raise UsageError(f"--{option}: {error.problem}") from None
