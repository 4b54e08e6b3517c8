"""Help: how its lines are broken, the commands by purpose, and the pages of the documentation."""

from __future__ import annotations

from collections.abc import Iterable

import click

COMMANDS_BY_PURPOSE = {
    "Check manifests": {
        "validate": "Validate manifests as the API server would.",
        "default": "Print manifests with the API server's defaults.",
        "rule": "Explain a rule, with a bad and a good example.",
        "kinds": "List the kinds that contain Jobs or Pod templates.",
        "schema": "Print JSON Schemas for editors and validators.",
        "lsp": "Show findings and fixes in an editor.",
    },
    "Understand Jobs": {
        "explain": "Show what happens to a Job when its Pods fail.",
        "simulate": "Run a Job in virtual time, before a cluster does.",
        "why": "Find out why a Job failed, or what it waits for.",
        "wait": "Wait for the end of a Job, and print its cause.",
        "schedule": "Print when CronJobs run, also across clock changes.",
        "health": "Report the runs of CronJobs that did not happen.",
    },
    "Run in a cluster": {
        "policy": "Write, check, test and export policies.",
        "serve": "Serve the admission webhook.",
        "certs": "Create and renew the webhook's certificates.",
        "audit": "Validate the Jobs and CronJobs stored in a cluster.",
        "reconcile": "Run the controller of the Jobs that name it.",
    },
}
"""The commands by what a user wants to do, each with one sentence."""

PAGES = {
    "default": "validate",
    "rule": "rules/README",
    "schema": "editors",
    "lsp": "editors",
    "serve": "webhook",
    "certs": "webhook",
    "reconcile": "controller",
    "policy": "policy",
    "policy export": "admission-policies",
    "": "README",
}
"""The page of a command, without ``.md``, if it is not the one of its name."""

_HYPHEN = "\ue000"
"""Takes the place of hyphens while lines are broken: Python breaks lines after a hyphen."""


def documentation_line(words: str) -> str:
    """Return the line with the address of a command's documentation.

    >>> documentation_line("validate").rpartition("/")[2], documentation_line("certs manage")[-10:]
    ('validate.md', 'webhook.md')
    """
    from jobsworth.lint.catalogue import DOCS  # of all rules, and only help needs it

    page = PAGES.get(words) or PAGES.get(words.partition(" ")[0]) or words
    return f"Documentation: {DOCS}/{page}.md"


class HelpFormatter(click.HelpFormatter):
    """Breaks lines between words only, so that every identifier can be copied."""

    def write_text(self, text: str) -> None:
        """Write a paragraph."""
        super().write_text(text.replace("-", _HYPHEN))

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """Write a list of options or commands."""
        unbroken = [(first, second.replace("-", _HYPHEN)) for first, second in rows]
        super().write_dl(unbroken, col_max, col_spacing)

    def getvalue(self) -> str:
        """Return the help."""
        return super().getvalue().replace(_HYPHEN, "-")


class HelpContext(click.Context):
    """The context of a command whose help is formatted here."""

    formatter_class = HelpFormatter

    def words(self) -> str:
        """Return the words that run the command, without those that run the program."""
        return "" if self.parent is None else f"{_words(self.parent)} {self.info_name}".strip()


def _words(context: click.Context) -> str:
    return context.words() if isinstance(context, HelpContext) else ""


def write_documentation(context: click.Context, formatter: click.HelpFormatter) -> None:
    """Write the address of the command's documentation, at the end of its help."""
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(documentation_line(_words(context)))
