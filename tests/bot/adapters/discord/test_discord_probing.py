"""``tertulia check --online`` over servers on loopback."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.cli import command


@pytest.fixture
def check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    path = tmp_path / "bot.yaml"

    async def run(text: str, secret: str = "sk" + "-secret") -> tuple[int, str, str]:
        monkeypatch.setenv("SECRET", secret)
        path.write_text(f"data_on_encrypted_volume: true\n{text}")
        code = await asyncio.to_thread(command, ["check", "--online", "--config", str(path)])
        out, err = capsys.readouterr()
        return code, out, err

    return run


async def test_discord_says_who_the_bot_is(check: Any, discord_server: Any) -> None:
    token, url = discord_server.token, discord_server.url
    block = f"platforms: {{discord: {{token: '${{SECRET}}', base_url: '{url}'}}}}"
    code, out, err = await check(block, token)
    assert (code, err) == (0, "")
    assert "platforms.discord: ok after" in out
    code, out, err = await check(block, f"{token}x")
    assert code == 1
    assert "platforms.discord: failed: " in err
    assert token not in out + err
