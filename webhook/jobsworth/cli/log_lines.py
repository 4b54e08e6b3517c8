"""Log what libraries report in one line each, as the command line reports its own errors."""

from __future__ import annotations

import logging
import os

from jobsworth.cli.failures import TRACEBACK
from jobsworth.printable import printable


class OneLine(logging.Formatter):
    """Formats a record as its first line, with the exception's type and message in place of its traceback."""

    def format(self, record: logging.LogRecord) -> str:
        if os.environ.get(TRACEBACK):
            return super().format(record)
        line = record.getMessage().partition("\n")[0]
        error = record.exc_info[1] if record.exc_info else None
        return printable(line if error is None else f"{line}: {type(error).__name__}: {error}")


def log_in_lines() -> None:
    """Log warnings and errors of libraries to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(OneLine())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
