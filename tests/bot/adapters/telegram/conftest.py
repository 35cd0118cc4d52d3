"""A Bot API server on loopback, and the adapter that talks to it."""

import asyncio
import json
import logging
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot.adapters.telegram.adapter import TelegramAdapter
from bot.adapters.telegram.config import TelegramConfig
from bot.api import Chat, CommandInfo, Host, Message

SPEC = Path(__file__).parents[5] / "shared" / "specs" / "telegram-bot-api.json"
TOKEN = "123456:ABC-secret_token"
ME = {"id": 123456, "is_bot": True, "first_name": "Bot", "username": "MyBot"}
PYTHON: Mapping[str, type | tuple[type, ...]] = {
    "Integer": int,
    "String": str,
    "Boolean": bool,
    "Float": (int, float),
}


@dataclass
class Call:
    """A request as the server got it."""

    method: str
    fields: dict[str, Any]


@dataclass
class BotApi:
    """Speaks as the Bot API does; ``faults`` are told instead, each once, by method."""

    url: str = ""
    calls: list[Call] = field(default_factory=list)
    faults: defaultdict[str, list[dict[str, Any]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    updates: list[dict[str, Any]] = field(default_factory=list)
    polled: list[int | None] = field(default_factory=list)
    commands: dict[str, Any] = field(default_factory=dict)
    shown: dict[int, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    last: int = 100
    number: int = 0

    def add(self, **update: Any) -> None:
        """Let the next poll bring an update."""
        self.number += 1
        self.updates.append({"update_id": self.number, **update})
        self.news.set()

    def fail(self, method: str, code: int, description: str, **parameters: Any) -> None:
        """Refuse the next call of a method."""
        fault = {"ok": False, "error_code": code, "description": description}
        self.faults[method].append(fault | ({"parameters": parameters} if parameters else {}))

    def of(self, *methods: str) -> list[dict[str, Any]]:
        """Return the fields of the calls of methods."""
        return [call.fields for call in self.calls if call.method in methods]

    @property
    def texts(self) -> list[str]:
        """What the chats show."""
        return [fields["text"] for fields in self.shown.values() if "text" in fields]

    async def answer(self, request: web.Request) -> web.Response:
        if request.path.startswith(f"/file/bot{TOKEN}/"):
            found = self.files.get(request.path.rpartition("/")[2])
            return web.Response(body=found, status=404 if found is None else 200)
        token, _, method = request.path.removeprefix("/bot").partition("/")
        if token != TOKEN:
            return self._refuse({"ok": False, "error_code": 401, "description": "Unauthorized"})
        fields = await _fields(request)
        self.calls.append(Call(method, fields))
        if self.faults[method]:
            return self._refuse(self.faults[method].pop(0))
        result = getattr(self, f"on_{method}", self.on_other)(fields)
        if asyncio.iscoroutine(result):
            result = await result
        return web.json_response({"ok": True, "result": result})

    def _refuse(self, fault: dict[str, Any]) -> web.Response:
        return web.json_response(fault, status=fault["error_code"])

    def on_other(self, fields: dict[str, Any]) -> Any:
        return True

    def on_getMe(self, fields: dict[str, Any]) -> Any:  # noqa: N802 - the method's name
        return ME

    def on_getMyCommands(self, fields: dict[str, Any]) -> Any:  # noqa: N802
        return self.commands.get(fields.get("language_code", ""), [])

    def on_setMyCommands(self, fields: dict[str, Any]) -> Any:  # noqa: N802
        self.commands[fields.get("language_code", "")] = fields["commands"]
        return True

    def on_getFile(self, fields: dict[str, Any]) -> Any:  # noqa: N802
        number = fields["file_id"]
        size = len(self.files[number])
        path = f"photos/{number}"
        return {"file_id": number, "file_unique_id": "u", "file_size": size, "file_path": path}

    def on_getChatMember(self, fields: dict[str, Any]) -> Any:  # noqa: N802
        user = {"id": fields["user_id"], "is_bot": False, "first_name": "Ana"}
        return {"status": "member", "user": user}

    def on_sendMessage(self, fields: dict[str, Any]) -> Any:  # noqa: N802
        assert 0 < len(fields["text"].encode("utf-16-le")) // 2 <= 4096
        self.last += 1
        self.shown[self.last] = fields
        return _message(self.last, fields)

    def on_sendDocument(self, fields: dict[str, Any]) -> Any:  # noqa: N802
        self.last += 1
        self.shown[self.last] = fields
        return _message(self.last, {**fields, "text": ""})

    def on_editMessageText(self, fields: dict[str, Any]) -> Any:  # noqa: N802
        number = fields["message_id"]
        assert 0 < len(fields["text"].encode("utf-16-le")) // 2 <= 4096
        self.shown[number] = fields
        return _message(number, fields)

    def on_deleteMessage(self, fields: dict[str, Any]) -> Any:  # noqa: N802
        del self.shown[fields["message_id"]]
        return True

    async def on_getUpdates(self, fields: dict[str, Any]) -> Any:  # noqa: N802
        offset = None if "offset" not in fields else int(fields["offset"])
        self.polled.append(offset)
        self.updates = [u for u in self.updates if offset is None or u["update_id"] >= offset]
        if not self.updates:
            self.news.clear()
            await self.news.wait()
        return self.updates


async def _fields(request: web.Request) -> dict[str, Any]:
    found = {name: _value(value) for name, value in request.query.items()}
    for name, value in (await request.post()).items():
        if isinstance(value, web.FileField):
            found[name] = (value.filename, value.file.read())
        else:
            found[name] = _value(str(value))
    return found


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _message(number: int, fields: dict[str, Any]) -> dict[str, Any]:
    chat = {"id": fields["chat_id"], "type": "private"}
    return {"message_id": number, "date": 1, "chat": chat, "text": str(fields["text"])}


def check_against_the_spec(calls: Sequence[Call]) -> None:
    """Check methods, names, presence and types of fields, nested ones included."""
    spec = json.loads(SPEC.read_text("utf-8"))
    for call in calls:
        method = spec["methods"][call.method]
        _check_fields(call.method, call.fields, method.get("fields", []), spec["types"])


def _check_fields(
    place: str, given: Mapping[str, Any], fields: Sequence[Any], types: Mapping[str, Any]
) -> None:
    known = {field["name"]: field for field in fields}
    assert set(given) <= set(known), f"{place}: {set(given) - set(known)}"
    missing = {name for name, field in known.items() if field["required"]} - set(given)
    assert not missing, f"{place} lacks {missing}"
    for name, value in given.items():
        kinds = known[name]["types"]
        assert any(_fits(f"{place}.{name}", value, kind, types) for kind in kinds), (
            f"{place}.{name}: {type(value).__name__} is none of {kinds}"
        )


def _fits(place: str, value: Any, kind: str, types: Mapping[str, Any]) -> bool:
    if kind.startswith("Array of "):
        inner = kind.removeprefix("Array of ")
        return isinstance(value, list) and all(_fits(place, v, inner, types) for v in value)
    if kind in PYTHON:
        # Form fields are texts on the wire; one that looks like a number was read as one.
        return isinstance(value, PYTHON[kind]) or (kind == "String" and not isinstance(value, dict))
    if kind == "InputFile":
        return isinstance(value, tuple)
    if isinstance(value, dict) and "fields" in types[kind]:
        _check_fields(f"{place}:{kind}", value, types[kind]["fields"], types)
        return True
    subtypes = types[kind].get("subtypes", [])
    return any(_fits(place, value, subtype, types) for subtype in subtypes)


@pytest.fixture
async def api() -> AsyncIterator[BotApi]:
    api = BotApi()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", api.answer)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    api.url = f"http://{host}:{port}"
    yield api
    api.news.set()
    await runner.cleanup()
    if SPEC.exists():
        check_against_the_spec(api.calls)


@dataclass
class Talk:
    """The adapter under test and what the runtime hears from it."""

    adapter: TelegramAdapter
    heard: list[Message] = field(default_factory=list)
    moved: list[tuple[Chat, Chat]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str | None] = field(default_factory=list)
    come: asyncio.Event = field(default_factory=asyncio.Event)

    async def receive(self, message: Message) -> None:
        self.heard.append(message)
        self.come.set()

    async def next(self) -> Message:
        """Return the next message that comes."""
        async with asyncio.timeout(10):
            await self.come.wait()
        self.come.clear()
        return self.heard[-1]


@pytest.fixture
def adapter_of(api: BotApi, tmp_path: Path) -> Callable[..., Talk]:
    """Make an adapter that is not connected yet."""

    def make(*commands: CommandInfo, token: str = TOKEN, **options: Any) -> Talk:
        config = TelegramConfig.model_validate({"token": token, "base_url": api.url, **options})
        talk: Talk
        problems: list[str | None] = []

        async def moved(old: Chat, new: Chat) -> None:
            talk.moved.append((old, new))

        def count(name: str) -> None:
            talk.counts[name] += 1

        log = logging.getLogger("platforms.telegram")
        host = Host(commands, log, tmp_path, count, moved, problems.append)
        talk = Talk(TelegramAdapter(config, host), problems=problems)
        return talk

    return make


@pytest.fixture
def talking(adapter_of: Callable[..., Talk]) -> Callable[..., Any]:
    """Run an adapter while the context is open."""

    @asynccontextmanager
    async def run(*commands: CommandInfo, **options: Any) -> AsyncIterator[Talk]:
        talk = adapter_of(*commands, **options)
        running = asyncio.create_task(talk.adapter.run(talk.receive))
        try:
            yield talk
        finally:
            running.cancel()
            await asyncio.wait([running])

    return run
