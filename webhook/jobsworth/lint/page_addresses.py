"""The web address of the page that explains a code."""

from __future__ import annotations

from jobsworth.lint.catalogue import CATALOGUE

DOCS = "https://github.com/jobsworth/jobsworth/blob/main/docs"


def page_address(code: str) -> str:
    """Return the address of a code's page; empty for an unknown code.

    >>> page_address("JW001").removeprefix(DOCS), page_address("JP002").removeprefix(DOCS)
    ('/rules/JW001-UnknownField.md', '/policy.md#codes')
    """
    if code.startswith("JP"):
        return f"{DOCS}/policy.md#codes"
    entry = CATALOGUE.get(code)
    return "" if entry is None else f"{DOCS}/rules/{entry.code}-{entry.name}.md"
