"""Discord on loopback: its REST API and its gateway, and the adapter that talks to them."""

import asyncio
import json
import logging
import re
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import WSMsgType, web
from jsonschema import Draft202012Validator

from bot.adapters.discord.adapter import DiscordAdapter
from bot.adapters.discord.config import DiscordConfig
from bot.api import Chat, CommandInfo, Host, Message

SPEC = Path(__file__).parents[5] / "shared" / "specs" / "discord-openapi.json"
TOKEN = "token-of-the-bot"
BOT = "900"
GUILD = "500"
CHANNEL = "600"
THREAD = "601"
DIRECT = "700"
ROLE = "510"
PREFIX = "/api/v10"

USER = {"id": BOT, "username": "MyBot", "discriminator": "0", "avatar": None, "bot": True}
ANA = {"id": "7", "username": "ana", "global_name": "Ana", "discriminator": "0", "avatar": None}
OWNER = {**ANA, "id": "1", "username": "owner"}
ADMIN = str(1 << 3)


def role(number: str, name: str, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "name": name,
        "permissions": "0",
        "position": 0,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "managed": False,
        "mentionable": True,
        "flags": 0,
        **more,
    }


def member(user: dict[str, Any], *roles: str) -> dict[str, Any]:
    return {
        "user": user,
        "roles": list(roles),
        "joined_at": "2026-01-01T00:00:00+00:00",
        "deaf": False,
        "mute": False,
        "flags": 0,
    }


SERVER: dict[str, Any] = {
    "id": GUILD,
    "name": "Us",
    "owner_id": "1",
    "preferred_locale": "es-ES",
    "roles": [
        role(GUILD, "@everyone"),
        role(ROLE, "MyBot", managed=True, tags={"bot_id": BOT}),
        role("511", "admins", permissions=ADMIN),
    ],
    "members": [member(USER, ROLE)],
    "channels": [{"id": CHANNEL, "type": 0, "name": "general", "position": 0}],
    "threads": [
        {
            "id": THREAD,
            "type": 11,
            "name": "shipping",
            "parent_id": CHANNEL,
            "owner_id": "7",
            "message_count": 1,
            "member_count": 1,
            "thread_metadata": {
                "archived": False,
                "auto_archive_duration": 60,
                "archive_timestamp": "2026-01-01T00:00:00+00:00",
            },
        }
    ],
    "emojis": [],
    "stickers": [],
    "features": [],
    "member_count": 2,
    "large": False,
    "unavailable": False,
    "verification_level": 0,
    "default_message_notifications": 0,
    "explicit_content_filter": 0,
    "mfa_level": 0,
    "nsfw_level": 0,
    "premium_tier": 0,
    "system_channel_flags": 0,
    "afk_timeout": 60,
}


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
    calls: list[Call] = field(default_factory=list)
    faults: defaultdict[str, list[web.Response]] = field(default_factory=lambda: defaultdict(list))
    commands: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, dict[str, Any]] = field(default_factory=dict)
    heard: list[dict[str, Any]] = field(default_factory=list)
    sockets: list[web.WebSocketResponse] = field(default_factory=list)
    refuse_with: int | None = None
    missed: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    sequence: int = 0
    last: int = 1000

    @property
    def gateway(self) -> str:
        return f"{self.url.replace('http', 'ws')}{PREFIX}/gateway-socket"

    # REST

    def fail(self, method: str, path: str, status: int, code: int = 0, **headers: str) -> None:
        """Refuse the next request of a method to a path."""
        body: dict[str, Any] = {"code": code, "message": f"refused with {code}"}
        if status == 429:
            body |= {"retry_after": 0.01, "global": False}
            headers |= {"Via": "1.1 google"}
        response = web.Response(
            text=json.dumps(body), status=status, content_type="application/json", headers=headers
        )
        response.headers["Content-Type"] = "application/json"
        self.faults[f"{method} {path}"].append(response)

    def of(self, method: str, pattern: str) -> list[Any]:
        """Return the bodies of the requests of a method whose paths match."""
        return [c.body for c in self.calls if c.method == method and re.fullmatch(pattern, c.path)]

    @property
    def texts(self) -> list[str]:
        """What the channels show."""
        return [message["content"] for message in self.shown.values()]

    async def answer(self, request: web.Request) -> web.StreamResponse:
        path = request.path.removeprefix(PREFIX)
        if path.rstrip("/") == "/gateway-socket":
            return await self.listen(request)
        if request.headers.get("Authorization") != f"Bot {TOKEN}":
            return self._json({"message": "401: Unauthorized", "code": 0}, 401)
        body = await _body(request)
        self.calls.append(Call(request.method, path, body, dict(request.query)))
        if faults := self.faults[f"{request.method} {path}"]:
            return faults.pop(0)
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
            "/oauth2/applications/@me": _application(),
            "/applications/@me": _application(),
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
            return member({**ANA, "id": parts[-1]}, *(["511"] if parts[-1] == "8" else []))
        return self._message(method, parts, body)

    def _message(self, method: str, parts: Sequence[str], body: Any) -> Any:
        if method == "POST" or parts[-1] == "@original":
            self.last += 1
        number = str(self.last) if method == "POST" or parts[-1] == "@original" else parts[-1]
        shown = {**self.shown.get(number, {"content": ""}), **body}
        assert len(shown["content"].encode("utf-16-le")) // 2 <= 2000
        self.shown[number] = shown
        return message(shown["content"], number, author=USER)

    # Gateway

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
            await self.dispatch("READY", **self._ready())
            await self.dispatch("GUILD_CREATE", **SERVER)
        elif said["op"] == 6:
            for kind, data in self.missed:
                await self.dispatch(kind, **data)
            await self.dispatch("RESUMED")

    def _ready(self) -> dict[str, Any]:
        return {
            "v": 10,
            "user": USER,
            "guilds": [{"id": GUILD, "unavailable": True}],
            "session_id": "session",
            "resume_gateway_url": self.gateway,
            "application": {"id": BOT, "flags": 0},
        }

    async def dispatch(self, t: str, /, **data: Any) -> None:
        """Send an event to whoever is connected."""
        self.sequence += 1
        await self.sockets[-1].send_json({"op": 0, "t": t, "s": self.sequence, "d": data})

    async def connected(self) -> None:
        """Wait until the bot is connected and knows the server."""
        async with asyncio.timeout(10):
            while not any(said["op"] in {2, 6} for said in self.heard):
                await asyncio.sleep(0.005)


def message(
    content: str, number: str = "10", *, author: Any = ANA, where: str = DIRECT, **more: Any
) -> dict[str, Any]:
    """Return a message; in a server it has a guild_id, in private it has none."""
    made = {
        "id": number,
        "channel_id": where,
        "author": author,
        "content": content,
        "timestamp": "2026-01-01T00:00:00+00:00",
        "edited_timestamp": None,
        "tts": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": [],
        "pinned": False,
        "type": 0,
        "flags": 0,
    }
    if where != DIRECT:
        made |= {
            "guild_id": GUILD,
            "member": {k: v for k, v in member(author).items() if k != "user"},
        }
    return made | more


def interaction(data: dict[str, Any], number: str = "20", **more: Any) -> dict[str, Any]:
    """Return a slash command (or a press, with type 3) in the channel of the server."""
    return {
        "id": number,
        "application_id": BOT,
        "type": 2,
        "token": "interaction-token",
        "version": 1,
        "guild_id": GUILD,
        "channel_id": CHANNEL,
        "channel": {"id": CHANNEL, "type": 0, "name": "general", "position": 0},
        "member": {**member(ANA), "permissions": "0"},
        "locale": "es-ES",
        "guild_locale": "es-ES",
        "entitlements": [],
        "attachment_size_limit": 10_000_000,
        "data": data,
        **more,
    }


def _application() -> dict[str, Any]:
    return {
        "id": BOT,
        "name": "MyBot",
        "icon": None,
        "description": "",
        "summary": "",
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": "",
        "flags": 0,
        "owner": OWNER,
        "team": None,
    }


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
        if not (body := call.body):
            continue
        [path] = [p for p in spec["paths"] if _matches(p, call.path)][:1]
        operation = spec["paths"][path][call.method.lower()]
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


@dataclass
class Talk:
    """The adapter under test and what the runtime hears from it."""

    adapter: DiscordAdapter
    heard: list[Message] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    async def receive(self, message: Message) -> None:
        self.heard.append(message)

    async def hears(self, count: int) -> list[Message]:
        """Wait for so many messages and return them."""
        async with asyncio.timeout(10):
            while len(self.heard) < count:
                await asyncio.sleep(0.005)
        return self.heard


@pytest.fixture
def discord_adapter(discord_server: Discord, tmp_path: Path) -> Callable[..., Talk]:
    """Make an adapter that is not connected yet."""

    def make(*commands: CommandInfo, token: str = TOKEN, **options: Any) -> Talk:
        block = {"token": token, "base_url": discord_server.url, **options}
        config = DiscordConfig.model_validate(block)
        counts: Counter[str] = Counter()

        async def moved(old: Chat, new: Chat) -> None:
            raise AssertionError

        def count(name: str) -> None:
            counts[name] += 1

        log = logging.getLogger("platforms.discord")
        host = Host(commands, log, tmp_path, count, moved, lambda _: None)
        return Talk(DiscordAdapter(config, host), counts=counts)

    return make


@pytest.fixture
def on_discord(discord_server: Discord, discord_adapter: Callable[..., Talk]) -> Callable[..., Any]:
    """Run an adapter while the context is open, from its connection on."""

    @asynccontextmanager
    async def run(*commands: CommandInfo, **options: Any) -> AsyncIterator[Talk]:
        talk = discord_adapter(*commands, **options)
        running = asyncio.create_task(talk.adapter.run(talk.receive))
        await discord_server.connected()
        try:
            yield talk
        finally:
            running.cancel()
            await asyncio.wait([running])

    return run
