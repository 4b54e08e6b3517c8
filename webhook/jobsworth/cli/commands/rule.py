"""``jobsworth rule``: list lint rules and print their pages."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments, option
from jobsworth.cli.reporting import as_utf8
from jobsworth.lint import manifest_rules, pages
from jobsworth.lint.catalogue import CATALOGUE, UnknownCode, codes_named
from jobsworth.lint.lint_rule import Rule
from jobsworth.lint.linter import RULES
from jobsworth.usage_error import UsageError

_RULES = {
    rule.code: rule
    for rule in sorted((*RULES, *manifest_rules.MANIFEST_RULES), key=lambda rule: rule.code)
}


class RuleOptions(Options):
    """The options of ``jobsworth rule``."""

    output: str = option(
        "--output",
        "-o",
        default="text",
        type=click.Choice(("text", "json")),
        help="A table or Markdown pages, or JSON with the same content.",
    )
    directory: str | None = option(
        "--directory",
        metavar="DIR",
        help="Write the pages of all rules and an index to this folder instead.",
    )
    words: tuple[str, ...] = arguments("words", "[RULE...]")


def run(options: RuleOptions) -> int:
    """Print a table of rules or pages of rules, or write all pages, and return the exit code.

    Raises:
        UsageError: an argument is not a code or a name.
    """
    if options.directory is not None:
        _write(Path(options.directory))
        return 0
    words = options.words
    as_utf8(sys.stdout)
    policy_codes = [word.upper() for word in words if word[:2].upper() == "JP"]
    if policy_codes:
        from jobsworth.policy.violation import pages_of

        found = pages_of(policy_codes)
        if found is None or len(policy_codes) < len(words) or options.output == "json":
            raise UsageError("use a policy code such as JP002, or JP for all, without other rules")
        print(found, end="")
        return 0
    try:
        named = [sorted(codes_named(word)) for word in words]
    except UnknownCode as error:
        raise UsageError(str(error)) from None
    codes = list(dict.fromkeys(code for several in named for code in several)) or list(_RULES)
    if options.output == "json":
        from jobsworth.documents.declared import report_text
        from jobsworth.reports.rule_report import rules_report

        print(report_text(rules_report(codes, _RULES)))
    elif words and all(len(several) == 1 for several in named):
        print("\n".join(map(_page, codes)), end="")
    else:
        print(pages.table([CATALOGUE[code] for code in codes]), end="")
    return 0


def _page(code: str) -> str:
    rule = _RULES.get(code)
    return pages.page(rule) if rule is not None else pages.short_page(CATALOGUE[code])


def _write(folder: Path) -> None:
    from jobsworth.files.simulations.rule_simulations import simulation_section

    folder.mkdir(parents=True, exist_ok=True)
    rules: Sequence[Rule] = list(_RULES.values())
    others = [rule_info for rule_info in CATALOGUE.values() if rule_info.code not in _RULES]
    (folder / "README.md").write_text(pages.index(rules, others), encoding="utf-8")
    for rule in rules:
        page = pages.page(rule, simulation_section(rule))
        (folder / pages.file_name(rule)).write_text(page, encoding="utf-8")
    for rule_info in others:
        page = pages.short_page(rule_info)
        (folder / pages.file_name(rule_info)).write_text(page, encoding="utf-8")


COMMAND = Command(
    "rule",
    help="""Explain lint rules: what each reports and why, with a bad and a good example.

RULE is a code (JW101, JP002), a name (rule-shadowed), or a prefix of codes (JW4), which lists their
rules. Without arguments, all rules are listed.""",
    epilog="""\b
Examples:
  jobsworth rule
  jobsworth rule JW101
  jobsworth rule schedule-never-fires
  jobsworth rule --output json JW4 | jq -r '.rules[].name'
  jobsworth rule --directory docs/rules   # a page per rule, and an index
""",
    options=RuleOptions,
    run=run,
)
