"""Discord on loopback: its REST API and its gateway."""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import WSMsgType, web
from jsonschema import Draft202012Validator

SPEC = Path(__file__).parents[4] / "shared" / "specs" / "discord-openapi.json"
TOKEN = "token-of-the-bot"
BOT = "900"
GUILD = "500"
DIRECT = "700"
ADMIN = "8"
PREFIX = "/api/v10"
LIMIT = 2000

FOLDER = Path(__file__).with_name("discord")
PAYLOADS: Mapping[str, dict[str, Any]] = json.loads((FOLDER / "payloads.json").read_text("utf-8"))
"""What Discord says, without what differs from one to the next."""

USER, ANA, SERVER = PAYLOADS["bot"], PAYLOADS["ana"], PAYLOADS["server"]


@dataclass
class Call:
    """A request as the server got it."""

    method: str
    path: str
    body: Any = None
    query: dict[str, str] = field(default_factory=dict)


@dataclass
class Discord:
    """Speaks as Discord does; ``faults`` are told instead, each once, by method and path."""

    url: str = ""
    token: str = TOKEN
    calls: list[Call] = field(default_factory=list)
    faults: defaultdict[str, list[web.Response]] = field(default_factory=lambda: defaultdict(list))
    commands: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, dict[str, Any]] = field(default_factory=dict)
    heard: list[dict[str, Any]] = field(default_factory=list)
    sockets: list[web.WebSocketResponse] = field(default_factory=list)
    refuse_with: int | None = None
    resume_at: str = ""
    acknowledged: Callable[[], Awaitable[None]] | None = None
    missed: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    greeted: asyncio.Event = field(default_factory=asyncio.Event)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    sequence: int = 0
    last: int = 1000
    files: dict[str, bytes] = field(default_factory=dict)

    @property
    def gateway(self) -> str:
        return f"{self.url.replace('http', 'ws')}{PREFIX}/gateway-socket"

    # REST

    def fail(
        self, method: str, path: str, status: int, code: int = 0, *, wait: float = 0.01
    ) -> None:
        """Refuse the next request of a method to a path; ``wait`` is for a 429."""
        response = self._json({"code": code, "message": f"refused with {code}"}, status)
        if status == 429:
            response = self._json({"message": "slowly", "retry_after": wait, "global": False}, 429)
            response.headers["Via"] = "1.1 google"  # without it, it is a ban of the address
        self.faults[f"{method} {path}"].append(response)

    def of(self, method: str, pattern: str) -> list[Any]:
        """Return the bodies of the requests of a method whose paths match."""
        return [c.body for c in self.calls if c.method == method and re.fullmatch(pattern, c.path)]

    @property
    def texts(self) -> list[str]:
        """What the channels show."""
        return [message["content"] for message in self.shown.values()]

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait for what the bot's requests bring about."""
        async with asyncio.timeout(10):
            while not true():
                self.changed.clear()
                await self.changed.wait()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        try:
            return await self._answer(request)
        finally:
            self.changed.set()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        path = request.path.removeprefix(PREFIX)
        if path.rstrip("/") == "/gateway-socket":
            return await self.listen(request)
        if path in self.files and "Authorization" not in request.headers:
            return web.Response(body=self.files[path])
        if request.headers.get("Authorization") != f"Bot {self.token}":
            return self._json({"message": "401: Unauthorized", "code": 0}, 401)
        body = await _body(request)
        self.calls.append(Call(request.method, path, body, dict(request.query)))
        if path.endswith("/callback") and self.acknowledged is not None:
            await self.acknowledged()
        if faults := self.faults[f"{request.method} {path}"]:
            return faults.pop(0)
        if isinstance(body, dict) and len(body.get("content", "").encode("utf-16-le")) > 2 * LIMIT:
            return self._json({"code": 50035, "message": "Invalid Form Body"}, 400)
        result = self._result(request.method, path, {} if body is None else body)
        return self._json(result) if result is not None else web.Response(status=204)

    def _json(self, value: Any, status: int = 200) -> web.Response:
        response = web.Response(body=json.dumps(value).encode(), status=status)
        response.headers["Content-Type"] = "application/json"  # exactly this, without a charset
        return response

    def _result(self, method: str, path: str, body: Any) -> Any:
        parts = path.strip("/").split("/")
        fixed = {
            "/users/@me": USER,
            "/oauth2/applications/@me": PAYLOADS["application"],
            "/applications/@me": PAYLOADS["application"],
            "/gateway/bot": {"url": self.gateway, "shards": 1},
        }
        if path in fixed:
            return fixed[path]
        if "commands" in parts:
            self.commands[path] = body
            return []
        if parts[-1] in {"typing", "callback"} or method == "DELETE":
            self.shown.pop(parts[-1], None)
            return None
        if parts[0] == "guilds":
            roles = ["511"] if parts[-1] == ADMIN else []
            return {**PAYLOADS["member"], "roles": roles, "user": {**ANA, "id": parts[-1]}}
        return self._shown(method, parts, body)

    def _shown(self, method: str, parts: Sequence[str], body: Any) -> Any:
        if method == "POST" or parts[-1] == "@original":
            self.last += 1
        number = str(self.last) if method == "POST" or parts[-1] == "@original" else parts[-1]
        shown = {**self.shown.get(number, {"content": ""}), **body}
        self.shown[number] = shown
        return self.message(shown["content"], number, author=USER)

    # Gateway

    @staticmethod
    def message(
        content: str, number: str = "10", *, author: Any = ANA, where: str = DIRECT, **more: Any
    ) -> dict[str, Any]:
        """Return a message; in a server it has a guild_id, in private it has none."""
        made = {"id": number, "channel_id": where, "author": author, "content": content}
        if where != DIRECT:
            made |= {"guild_id": GUILD, "member": {**PAYLOADS["member"], "roles": []}}
        return PAYLOADS["message"] | made | more

    @staticmethod
    def interaction(data: dict[str, Any], number: str = "20", **more: Any) -> dict[str, Any]:
        """Return a slash command (or a press, with type 3) in the channel of the server."""
        return PAYLOADS["interaction"] | {"id": number, "data": data} | more

    @staticmethod
    def private(interaction: dict[str, Any]) -> dict[str, Any]:
        """Return an interaction as it comes from a direct message."""
        out = {k: v for k, v in interaction.items() if k not in {"guild_id", "member"}}
        channel = {"id": DIRECT, "type": 1, "recipients": [ANA]}
        return out | {"user": ANA, "channel_id": DIRECT, "channel": channel}

    async def says(self, content: str, number: str = "10", **more: Any) -> None:
        """Have Ana say something."""
        await self.dispatch("MESSAGE_CREATE", **self.message(content, number, **more))

    async def asks(self, name: str, number: str = "20", **options: str) -> None:
        """Have Ana give a slash command in the channel of the server."""
        given = [{"name": k, "type": 3, "value": v} for k, v in options.items()]
        data = {"id": "1", "name": name, "type": 1, "options": given}
        await self.dispatch("INTERACTION_CREATE", **self.interaction(data, number))

    async def listen(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.sockets.append(socket)
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": 45000}})
        async for frame in socket:
            if frame.type is WSMsgType.TEXT:
                await self._heard(socket, json.loads(frame.data))
        return socket

    async def _heard(self, socket: web.WebSocketResponse, said: dict[str, Any]) -> None:
        self.heard.append(said)
        if said["op"] == 1:
            await socket.send_json({"op": 11})
        elif said["op"] == 2 and self.refuse_with is not None:
            await socket.close(code=self.refuse_with)
        elif said["op"] == 2:
            await self.dispatch("READY", **self.ready())
            await self.dispatch("GUILD_CREATE", **SERVER)
            self.greeted.set()
        elif said["op"] == 6:
            for kind, data in self.missed:
                await self.dispatch(kind, **data)
            await self.dispatch("RESUMED")
            self.greeted.set()

    def ready(self) -> dict[str, Any]:
        return PAYLOADS["ready"] | {"resume_gateway_url": self.resume_at or self.gateway}

    async def dispatch(self, t: str, /, **data: Any) -> None:
        """Send an event to whoever is connected."""
        self.sequence += 1
        await self.sockets[-1].send_json({"op": 0, "t": t, "s": self.sequence, "d": data})


async def _body(request: web.Request) -> Any:
    if request.content_type == "application/json":
        return await request.json()
    if request.content_type == "multipart/form-data":
        found = await request.post()
        files = {name: f.filename for name, f in found.items() if isinstance(f, web.FileField)}
        return {**json.loads(str(found["payload_json"])), "files": files}
    return None


def check_against_the_spec(calls: Sequence[Call]) -> None:
    """Check that each path and method is known and its body fits the schema."""
    spec = json.loads(SPEC.read_text("utf-8"))
    for call in calls:
        path = next(path for path in spec["paths"] if _matches(path, call.path))
        operation = spec["paths"][path][call.method.lower()]
        if not (body := call.body):
            continue
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        checker = Draft202012Validator({**schema, "components": spec["components"]})
        sent = {k: v for k, v in body.items() if k != "files"} if isinstance(body, dict) else body
        assert checker.is_valid(sent), (call, [e.message for e in checker.iter_errors(sent)])


def _matches(pattern: str, path: str) -> bool:
    return re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", pattern), path) is not None


@pytest.fixture
async def discord_server() -> AsyncIterator[Discord]:
    server = Discord()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", server.answer)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    server.url = f"http://{host}:{port}"
    yield server
    for socket in server.sockets:
        with suppress(ConnectionError):
            await socket.close()
    await runner.cleanup()
    if SPEC.exists():
        check_against_the_spec(server.calls)
