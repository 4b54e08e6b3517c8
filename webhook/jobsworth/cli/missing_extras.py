"""The message for a package of an extra that is not installed."""

from __future__ import annotations


def missing_extra(what: str, extra: str, package: str | None = None) -> str:
    """Return the message: what requires which packages, and the command that installs them.

    >>> missing_extra("webhooks", "webhook", "flask")
    "webhooks require the package flask: run pip install 'jobsworth[webhook]', or '.[webhook]' in a clone"

    Args:
        what: the feature, in the plural.
        extra: the name of the extra.
        package: the missing package, if known.
    """
    needs = f"the package {package}" if package else f"the packages of the extra {extra}"
    return (
        f"{what} require {needs}: run pip install 'jobsworth[{extra}]', or '.[{extra}]' in a clone"
    )
