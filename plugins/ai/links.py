"""Which links of an answer may be shown as links.

A link can carry what a person told the bot to whoever made the model write it, so only those stand
that come from the person, the passages or the operator.
"""

from collections.abc import Iterable
from urllib.parse import urlsplit

from plugins.ai import syntax
from plugins.ai.markup import ENDS, Kind, scan


class Links:
    """The links that may be shown: those in trusted texts, and all of some hosts."""

    def __init__(self, texts: Iterable[str], hosts: Iterable[str] = ()) -> None:
        self._urls = {_normal(url) for text in texts for url in _urls(text)}
        self._hosts = tuple(host.lower() for host in hosts)

    def allow(self, url: str) -> bool:
        """Tell whether a URL may be shown as a link."""
        return _normal(url) in self._urls or self._of_host(url)

    def _of_host(self, url: str) -> bool:
        parts = _split(url)
        host = "" if parts is None else parts[1]
        return any(host == known or host.endswith(f".{known}") for known in self._hosts)


def _urls(text: str) -> Iterable[str]:
    for found in syntax.URL.finditer(text):
        yield found["auto"] or found["url"].rstrip(ENDS)
        yield found["auto"] or found["url"]
    for segment in scan(text):
        if segment.kind is Kind.LINK:
            yield segment.target


def _normal(url: str) -> tuple[str, str] | None:
    parts = _split(url)
    return None if parts is None else (parts[0] + "://" + parts[1], parts[2].rstrip("/"))


def _split(url: str) -> tuple[str, str, str] | None:
    """Return scheme, host and the rest; None for what is no web address at all."""
    whole = url if "://" in url else f"https://{url}"
    try:
        parts = urlsplit(whole)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not host or parts.username is not None:
        return None
    rest = parts._replace(scheme="", netloc="").geturl()
    return parts.scheme, host if port is None else f"{host}:{port}", rest
