"""HTTP to a provider: one place for keys, proxies, certificates and the errors of the wire."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager
from typing import Any, Final

import httpx
from httpx_sse import EventSource, ServerSentEvent

from bot.api import Json
from plugins.ai.config import HttpConfig, Timeouts, is_loopback
from plugins.ai.providers.clients import Clients
from plugins.ai.providers.deadlines import Deadline
from plugins.ai.providers.provider import Fault, ProviderError
from plugins.ai.providers.refusals import refusal

KEPT: Final = 20
"""How many idle connections each client keeps."""

WRITE_SECONDS: Final = 30.0
LONGEST_REFUSAL: Final = 65_536
"""How many bytes of a refusal's body are read."""


class Connection:
    """Posts JSON to one server and reads what it streams back.

    A kept connection may have been closed by the server meanwhile, which shows only in the asking:
    then the request goes out once more, on a connection of its own.
    """

    def __init__(
        self, base_url: str, headers: Mapping[str, str], timeouts: Timeouts, http: HttpConfig
    ) -> None:
        connect = timeouts.connect.total_seconds()
        certificates = httpx.create_ssl_context()

        def client(kept: int) -> httpx.AsyncClient:
            return httpx.AsyncClient(
                base_url=base_url,
                headers=headers,
                verify=certificates,
                proxy=http.proxy,
                trust_env=not is_loopback(base_url),
                follow_redirects=False,
                timeout=httpx.Timeout(None, connect=connect, pool=connect, write=WRITE_SECONDS),
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=kept),
            )

        self._keeping = Clients(lambda: client(KEPT))
        self._single = client(0)

    async def close(self) -> None:
        """Close all connections."""
        await self._keeping.close()
        await self._single.aclose()

    @asynccontextmanager
    async def post(
        self, path: str, content: Json, deadline: Deadline
    ) -> AsyncIterator[httpx.Response]:
        """Yield the answer to a request; a refusal is raised."""
        with translated(), self._keeping.lent() as client:
            try:
                async with deadline.wait():
                    response = await self._send(client, path, content)
            except TimeoutError as error:
                raise deadline.missed() from error
            try:
                if not response.is_success:
                    raise refusal(
                        response.status_code, response.headers, await _start(response, deadline)
                    )
                yield response
            finally:
                await response.aclose()

    async def _send(self, client: httpx.AsyncClient, path: str, content: Json) -> httpx.Response:
        opened: list[str] = []

        async def trace(event: str, _: Mapping[str, Any]) -> None:
            if event.startswith("connection.connect"):
                opened.append(event)

        request = client.build_request("POST", path, json=content, extensions={"trace": trace})
        try:
            return await client.send(request, stream=True)
        except (httpx.NetworkError, httpx.RemoteProtocolError):
            if opened:
                raise
        return await self._single.send(
            self._single.build_request("POST", path, json=content), stream=True
        )


@contextmanager
def translated() -> Iterator[None]:
    """Turn the HTTP library's errors into ours."""
    try:
        yield
    except httpx.ConnectTimeout as error:
        message = "no connection within timeouts.connect"
        raise ProviderError(Fault.UNREACHABLE, message, passing=True) from error
    except (httpx.ConnectError, httpx.ProxyError, httpx.UnsupportedProtocol) as error:
        message = f"no connection ({type(error).__name__}); check base_url and the network"
        raise ProviderError(Fault.UNREACHABLE, message, passing=True) from error
    except httpx.TimeoutException as error:
        message = f"the connection is stuck ({type(error).__name__})"
        raise ProviderError(Fault.TIMEOUT, message, passing=True) from error
    except httpx.HTTPError as error:
        message = f"the connection broke ({type(error).__name__})"
        raise ProviderError(Fault.BROKEN, message, passing=True) from error


async def events(response: httpx.Response) -> AsyncGenerator[ServerSentEvent, None]:
    """Yield the server-sent events of a response that hold data."""
    response.encoding = "utf-8"
    async with aclosing(EventSource(response).aiter_sse()) as sent:
        async for event in sent:
            if event.data.strip():
                yield event


async def _start(response: httpx.Response, deadline: Deadline) -> bytes:
    start = b""
    try:
        async with deadline.wait():
            async for piece in response.aiter_bytes():
                start += piece
                if len(start) > LONGEST_REFUSAL:
                    break
    except (TimeoutError, httpx.HTTPError):
        return b""
    return start
