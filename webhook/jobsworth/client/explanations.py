"""Explain failed calls to an API server in one line: the cause and the fix."""

from __future__ import annotations

from typing import Any

from jobsworth.client.api_errors import UNREACHABLE, ApiError, error_of, printable
from jobsworth.client.rest_config import RestConfig

MAX_CONNECT_SECONDS = 10.0


def rejected(
    config: RestConfig, code: int, answer: Any, retry_after: float | None = None
) -> ApiError:
    """Return the error for a response that is not a success, or not a JSON object.

    Args:
        code: the HTTP status.
        answer: the decoded body; its text if it is not JSON.
        retry_after: the value of the ``Retry-After`` header, in seconds.
    """
    error = error_of(code, answer, retry_after)
    message, url, name = error.message, config.url, config.name
    if code == 401:
        error.explanation = (
            f"{url} rejects the credentials of {name} (401 {message}): they may have expired; "
            "log in again, or choose another context with --context"
        )
    elif code == 403 and '"system:anonymous"' in message:
        error.explanation = (
            f"{url} rejects anonymous requests (403 {message}): "
            f"add credentials to {name}, or choose another context with --context"
        )
    elif (
        not isinstance(answer, dict) and code != 429
    ):  # an overloaded API server responds with plain text
        error.explanation = (
            f"{url} answers with status {code}, but not like a Kubernetes API server: "
            f"check the server address of {name}, and any proxy in between"
        )
    return error


def unanswered(config: RestConfig, error: Exception, timeout: float) -> ApiError:
    """Return the error for a request without a response.

    Args:
        error: the error of the HTTP library or the system.
        timeout: the timeout of the request in seconds.
    """
    kinds = {type(each).__name__ for each in _chain(error)}
    message = printable(_why_unanswered(config.url, config.name, error, kinds, timeout))
    return ApiError(UNREACHABLE, "", message, timed_out="ReadTimeoutError" in kinds)


def _why_unanswered(url: str, name: str, error: Exception, kinds: set[str], timeout: float) -> str:
    texts = " ".join(map(str, _chain(error)))
    if "CERTIFICATE_VERIFY_FAILED" in texts:
        detail = texts.partition("certificate verify failed: ")[2].partition(" (_ssl")[0]
        return (
            f"the certificate of {url} is not trusted ({detail or 'certificate verify failed'}): "
            f"set certificate-authority of {name} to the CA that signed it"
        )
    if "ProxyError" in kinds:
        return f"the proxy for {url} failed: {error}; check HTTPS_PROXY and NO_PROXY"
    if "SSLError" in kinds or "SSLV3_ALERT" in texts:
        return f"no TLS connection to {url}: {_inner(error)}; check the server address of {name}"
    if "ReadTimeoutError" in kinds:
        return f"{url} did not answer within {timeout:g} s"
    if "ConnectTimeoutError" in kinds:
        return (
            f"no connection to {url} within {min(timeout, MAX_CONNECT_SECONDS):g} s: check "
            f"the network (VPN) and the server address of {name}"
        )
    if "NameResolutionError" in kinds or "gaierror" in kinds:
        return f"the host of {url} cannot be resolved: check the server address of {name}"
    if "ConnectionRefusedError" in kinds or "Connection refused" in texts:
        return f"{url} refuses connections: check that the cluster runs, and the server address of {name}"
    return f"{url} cannot be reached: {_inner(error)}"


def _chain(error: BaseException | None) -> list[BaseException]:
    """Return an error and its causes, in every form in which the library stores them."""
    found: list[BaseException] = []
    while isinstance(error, BaseException) and error not in found:
        found.append(error)
        reason = getattr(error, "reason", None) or getattr(error, "original_error", None)
        error = (
            reason if isinstance(reason, BaseException) else error.__cause__ or error.__context__
        )
    return found


def _inner(error: Exception) -> str:
    text = " ".join(str(_chain(error)[-1]).split())
    return text or type(error).__name__
