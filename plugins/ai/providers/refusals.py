"""What a provider's HTTP status and error object mean."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from plugins.ai.providers.provider import Fault, ProviderError

PASSING: Final = frozenset({429, 500, 502, 503, 504, 529})
STATUS: Final[Mapping[int, tuple[Fault, str]]] = {
    401: (Fault.DENIED, "it does not accept the key; check plugins.ai.api_key"),
    403: (Fault.DENIED, "the key may not do this; check its rights and the model's"),
    402: (Fault.QUOTA, "the account has no credit left"),
    404: (Fault.REFUSED, "it knows no such model or address; check model and base_url"),
    413: (Fault.TOO_LONG, "the request is too long for it"),
    429: (Fault.BUSY, "it gets too many requests"),
}
NO_CREDIT: Final = re.compile("insufficient_quota|billing|credit", re.IGNORECASE)
TOO_LONG: Final = re.compile(
    r"context.{0,20}(length|window|size|limit)|maximum context|too many (input )?tokens"
    r"|(prompt|input|request).{0,20}too (long|large)|exceed\w*.{0,40}(tokens|context)"
    r"|string_above_max_length",
    re.IGNORECASE,
)
WORD: Final = re.compile(r"[\w.-]{1,48}")
"""What of an error object may enter a log: short codes, never sentences, which quote the input."""


def refusal(status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """Return the error that a response with this status means."""
    code, text = _described(body)
    fault, advice = _meaning(status, code, text)
    return ProviderError(
        fault,
        f"HTTP {status}{f' {code}' if code else ''}: {advice}",
        passing=status in PASSING and fault is not Fault.QUOTA,
        retry_after=retry_after(headers),
    )


def stream_error(error: object) -> ProviderError:
    """Return the error that an error object in the middle of a stream means."""
    code, text = _described(json.dumps({"error": error}).encode())
    if TOO_LONG.search(f"{code} {text}"):
        return ProviderError(Fault.TOO_LONG, f"error {code}: the request is too long for it")
    return ProviderError(Fault.BROKEN, f"error {code} within the answer", passing=True)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that ``Retry-After`` asks for, given as such or as a date."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", value):
        return float(value)
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (when.astimezone(UTC) - datetime.now(UTC)).total_seconds())


def _meaning(status: int, code: str, text: str) -> tuple[Fault, str]:
    described = f"{code} {text}"
    if status in {402, 403, 429} and NO_CREDIT.search(code):
        return STATUS[402]
    if status in {400, 413, 422} and TOO_LONG.search(described):
        return STATUS[413]
    if status in STATUS:
        return STATUS[status]
    if status >= 500:  # noqa: PLR2004 - the class of a server's own failures
        return Fault.DOWN, "it fails"
    if 300 <= status < 400:  # noqa: PLR2004 - the class of redirects
        return Fault.REFUSED, "it redirects; put the final address into base_url"
    return Fault.REFUSED, "it does not accept the request; check model and options"


def _described(body: bytes) -> tuple[str, str]:
    """Return an error object's code, fit for a log, and its sentence, which is not."""
    try:
        found: Any = json.loads(body)
    except ValueError:
        return "", ""
    if isinstance(found, list) and found:
        found = found[0]
    error = found.get("error", found) if isinstance(found, Mapping) else None
    if isinstance(error, str):
        return "", error
    if not isinstance(error, Mapping):
        return "", ""
    words = (str(error.get(key) or "") for key in ("code", "type", "status"))
    named = [word for word in words if WORD.fullmatch(word) and not word.isdigit()]
    return named[0] if named else "", str(error.get("message") or "")
