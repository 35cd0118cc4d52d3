"""A model behind a proxy, and a server that is not who it says."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from bot.api import Role
from plugins.ai.config import AiConfig
from plugins.ai.providers.openai import DIALECT
from plugins.ai.providers.provider import Fault, Piece, ProviderError, Request, Turn
from plugins.ai.providers.retries import Retries
from plugins.ai.providers.streaming import Streaming

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any]


@asynccontextmanager
async def listening(serve: Serve, **options: Any) -> AsyncIterator[str]:
    writers: list[asyncio.StreamWriter] = []

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await serve(reader, writer)
        writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0, **options)
    host, port = server.sockets[0].getsockname()[:2]
    try:
        yield f"{host}:{port}"
    finally:
        server.close()
        for writer in writers:
            writer.close()
        await asyncio.sleep(0.01)


async def relay(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, port: int, first: bytes
) -> None:
    there, back = await asyncio.open_connection(host, port)
    back.write(first)

    async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await source.read(65_536):
                sink.write(data)
                await sink.drain()
        sink.close()

    await asyncio.gather(pump(reader, back), pump(there, writer))


class Socks:
    """A SOCKS5 proxy (RFC 1928) that lets everybody in."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, methods = await reader.readexactly(2)
        await reader.readexactly(methods)
        writer.write(b"\x05\x00")
        kind = (await reader.readexactly(4))[3]
        if kind == 1:
            host = str(IPv4Address(await reader.readexactly(4)))
        else:
            host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
        port = int.from_bytes(await reader.readexactly(2), "big")
        self.asked.append((host, port))
        writer.write(b"\x05\x00\x00\x01\0\0\0\0\0\0")
        await relay(reader, writer, host, port, b"")


class Forward:
    """An HTTP proxy; it answers CONNECT with a refusal."""

    def __init__(self) -> None:
        self.heads: list[str] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.heads.append(head.decode())
        method, address, _ = head.decode().split(" ", 2)
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")
            return
        host, _, port = address.split("/")[2].partition(":")
        await relay(reader, writer, host, int(port), head)


def config(url: str, **more: Any) -> AiConfig:
    block = {"provider": "openai", "base_url": url, "model": "m", "api_key": "sk-secret"}
    return AiConfig.model_validate(block | more)


async def said(options: AiConfig) -> str:
    provider = Streaming(options, DIALECT, Retries(0))
    try:
        events = provider.stream(Request("", [Turn(Role.USER, "hi")]))
        return "".join([event.text async for event in events if isinstance(event, Piece)])
    finally:
        await provider.close()


@pytest.fixture
def answering(server: Any, answered: Any, sse: Any) -> Any:
    server.script = [answered([sse("Yes.")])]
    return server


async def test_a_request_goes_through_a_socks_proxy(answering: Any) -> None:
    socks = Socks()
    async with listening(socks.serve) as address:
        for scheme in ("socks5", "socks5h"):
            proxy = {"http": {"proxy": f"{scheme}://{address}"}}
            assert await said(config(answering.url, **proxy)) == "Yes."
    assert {f"http://{host}:{port}/v1" for host, port in socks.asked} == {answering.url}
    assert len(socks.asked) == 2


async def test_a_request_goes_through_an_http_proxy(answering: Any) -> None:
    forward = Forward()
    async with listening(forward.serve) as address:
        proxy = {"http": {"proxy": f"http://{address}"}}
        assert await said(config(answering.url, **proxy)) == "Yes."
    assert forward.heads[0].startswith(f"POST {answering.url}/chat/completions ")


async def test_the_environments_proxy_is_asked_and_gets_no_key(
    answering: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward = Forward()
    async with listening(forward.serve) as address:
        for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://{address}")
        with pytest.raises(ProviderError) as error:
            await said(config("https://models.invalid/v1"))
        assert error.value.fault is Fault.UNREACHABLE
        assert await said(config(answering.url)) == "Yes.", "this machine is reached directly"
    (head,) = forward.heads
    assert head.startswith("CONNECT models.invalid:443 ")
    assert "sk-secret" not in head


async def test_a_proxy_that_is_not_there_is_told(answering: Any) -> None:
    with pytest.raises(ProviderError) as error:
        await said(config(answering.url, http={"proxy": "socks5://127.0.0.1:1"}))
    assert error.value.fault is Fault.UNREACHABLE
    assert not answering.asked


def certificate(folder: Path) -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    file = folder / "server.pem"
    kind = serialization.PrivateFormat.PKCS8
    plain = serialization.NoEncryption()
    pem = serialization.Encoding.PEM
    file.write_bytes(key.private_bytes(pem, kind, plain) + made.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


async def test_a_server_that_cannot_prove_who_it_is_gets_nothing(tmp_path: Path) -> None:
    heard: list[bytes] = []

    async def hear(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(1000))

    async with AsyncExitStack() as stack:
        context = certificate(tmp_path)
        address = await stack.enter_async_context(listening(hear, ssl=context))
        with pytest.raises(ProviderError) as error:
            await said(config(f"https://{address}/v1"))
    assert error.value.fault is Fault.UNREACHABLE
    assert not any(heard)
