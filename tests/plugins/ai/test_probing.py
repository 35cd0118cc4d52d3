"""``tertulia check --online`` over servers on loopback."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bot.cli import command


def model(url: str, name: str = "m") -> str:
    return f"{{provider: openai, base_url: '{url}', model: {name}, api_key: '${{SECRET}}'}}"


async def test_each_model_is_asked(check_online: Any, server: Any, answered: Any, sse: Any) -> None:
    denied = answered([b'{"error": {"message": "bad key"}}'], status="401 Unauthorized")
    server.script = [answered([sse("OK")])]
    block = model(server.url)[:-1] + f", fallback: [{model('http://127.0.0.1:1', 'n')}]}}"
    code, out, err = await check_online(f"plugins: {{ai: {block}}}")
    assert code == 1
    assert "plugins.ai openai (m): ok after" in out
    assert "plugins.ai openai (n): failed: " in err
    assert [asked.body["model"] for asked in server.asked] == ["m"]
    server.script = [denied]
    code, out, err = await check_online(f"plugins: {{ai: {model(server.url)}}}")
    assert code == 1
    assert "plugins.ai openai (m): failed: " in err
    assert "sk-secret" not in out + err


async def test_all_well_is_told(check_online: Any, server: Any, answered: Any, sse: Any) -> None:
    server.script = [answered([sse("OK")])]
    memory = "memory: {auto_extract: {model: small}}"
    code, out, err = await check_online(f"plugins: {{ai: {model(server.url)[:-1]}, {memory}}}}}")
    assert (code, err) == (0, "")
    assert [line.partition(": ok")[0] for line in out.splitlines()[1:]] == [
        "plugins.ai openai (m)",
        "plugins.ai openai (small)",
    ]


async def test_a_plain_check_asks_nobody(
    server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "sk")
    path = tmp_path / "bot.yaml"
    path.write_text(f"plugins: {{ai: {model(server.url)}}}")
    assert await asyncio.to_thread(command, ["check", "--config", str(path)]) == 0
    assert not server.asked
