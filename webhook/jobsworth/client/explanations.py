"""Why an API server does not answer, or turns us away: in a line that says what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.client.errors import UNREACHABLE, ApiError, error_of

if TYPE_CHECKING:
    from jobsworth.client.configuration import RestConfig

LONGEST_CONNECT_SECONDS = 10.0


def refused(
    config: RestConfig, code: int, answer: Any, retry_after: float | None = None
) -> ApiError:
    """Return the error of an answer that is none of success, or no JSON object.

    Args:
        code: the HTTP status.
        answer: the decoded body; its text where it is not JSON.
        retry_after: of the answer's header, in seconds.
    """
    error = error_of(code, answer, retry_after)
    said, url, name = error.message, config.url, config.name
    if code == 401:
        error.explanation = (
            f"{url} does not accept the credentials of {name} (401 {said}): they may have expired; "
            "log in again, or choose another context with --context"
        )
    elif code == 403 and '"system:anonymous"' in said:
        error.explanation = f"{name} has no credentials, and {url} wants some (403 {said})"
    elif not isinstance(answer, dict) and code != 429:  # an overloaded API server answers with text
        error.explanation = (
            f"{url} answers with status {code}, but not as a Kubernetes API server does: "
            f"is the address in {name} right, and does a proxy stand in between?"
        )
    return error


def unanswered(config: RestConfig, error: Exception, timeout: float) -> ApiError:
    """Return the error of a request that brought no answer.

    Args:
        error: of the HTTP library or the system.
        timeout: how many seconds were waited.
    """
    kinds = {type(each).__name__ for each in _chain(error)}
    message = _why_unanswered(config.url, config.name, error, kinds, timeout)
    return ApiError(UNREACHABLE, "", message, timed_out="ReadTimeoutError" in kinds)


def _why_unanswered(url: str, name: str, error: Exception, kinds: set[str], timeout: float) -> str:
    texts = " ".join(map(str, _chain(error)))
    if "CERTIFICATE_VERIFY_FAILED" in texts:
        detail = texts.partition("certificate verify failed: ")[2].partition(" (_ssl")[0]
        return (
            f"the certificate of {url} is not trusted ({detail or 'certificate verify failed'}): "
            f"the certificate-authority of {name} must be the one that signed it"
        )
    if "ProxyError" in kinds:
        return f"the proxy on the way to {url} fails: {error}; see HTTPS_PROXY, NO_PROXY"
    if "SSLError" in kinds or "SSLV3_ALERT" in texts:
        return f"no TLS connection to {url}: {_inner(error)}; is the address of {name} right?"
    if "ReadTimeoutError" in kinds:
        return f"{url} did not answer within {timeout:g} s"
    if "ConnectTimeoutError" in kinds:
        return (
            f"no connection to {url} within {min(timeout, LONGEST_CONNECT_SECONDS):g} s: is the "
            f"network (VPN) up, and the address of {name} right?"
        )
    if "NameResolutionError" in kinds or "gaierror" in kinds:
        return f"the host of {url} is not known: is the address of {name} right?"
    if "ConnectionRefusedError" in kinds or "Connection refused" in texts:
        return (
            f"{url} refuses connections: does the cluster run, and is the address of {name} right?"
        )
    return f"{url} cannot be asked: {_inner(error)}"


def _chain(error: BaseException | None) -> list[BaseException]:
    """An error and what caused it, however the library holds it."""
    found: list[BaseException] = []
    while isinstance(error, BaseException) and error not in found:
        found.append(error)
        reason = getattr(error, "reason", None) or getattr(error, "original_error", None)
        error = (
            reason if isinstance(reason, BaseException) else error.__cause__ or error.__context__
        )
    return found


def _inner(error: Exception) -> str:
    said = " ".join(str(_chain(error)[-1]).split())
    return said or type(error).__name__
