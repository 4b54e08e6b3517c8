"""The hosts that a Pod names in its variables and command lines, which may be Services beside it."""

from __future__ import annotations

import re

from jobsworth.lint.linted_job import LintedJob

MIN_LENGTH = 4
"""A shorter name is probably a word of the command line."""
MAX_TEXT_LENGTH = 32_768
"""The length of a text in which hosts are looked for."""
IS_HOST = re.compile(r"HOST|URL|URI|DSN|ADDR|ENDPOINT|SERVER", re.IGNORECASE)
_URL = re.compile(r"://(?:[^@/\s]*@)?([a-z0-9][-a-z0-9]*)")
_WORD = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")


def named_hosts(job: LintedJob) -> set[str]:
    """Return the words that may be hosts: alone, or parts of a URL or of a name with a dot or port."""
    texts: list[str] = []
    for _, container in job.containers:
        texts += (each.get("value", "") for each in container.get("env", ()))
        texts += (*container.get("command", ()), *container.get("args", ()))
    found: set[str] = set()
    for text in texts:
        if "://" in text or "." in text or ":" in text or _WORD.fullmatch(text):
            found.update(each.group() for each in _WORD.finditer(text[:MAX_TEXT_LENGTH]))
    return {each for each in found if len(each) >= MIN_LENGTH}


def servers_called(job: LintedJob) -> set[str]:
    """Return the words in the hosts of URLs, and in variables whose names say that they are hosts.

    They are fewer than :func:`named_hosts`: a list of names for a certificate is none.
    """
    found: set[str] = set()
    for _, container in job.containers:
        for variable in container.get("env", ()):
            value = variable.get("value", "")
            if "://" not in value and "," not in value and IS_HOST.search(variable.get("name", "")):
                found.update(each.group() for each in _WORD.finditer(value[:MAX_TEXT_LENGTH]))
            found.update(_hosts_of_urls(value))
        for text in (*container.get("command", ()), *container.get("args", ())):
            found.update(_hosts_of_urls(text))
    return {each for each in found if len(each) >= MIN_LENGTH}


def _hosts_of_urls(text: str) -> list[str]:
    """Return the first labels of the hosts in the URLs of a text.

    >>> _hosts_of_urls("psql postgres://shop:secret@shop-db.shop.svc:5432/shop")
    ['shop-db']
    """
    return _URL.findall(text[:MAX_TEXT_LENGTH]) if "://" in text else []
