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


async def test_telegram_says_who_the_bot_is(check: Any, api: Any) -> None:
    block = f"platforms: {{telegram: {{token: '${{SECRET}}', base_url: '{api.url}'}}}}"
    code, out, _ = await check(block, "123456:ABC-secret_token")
    assert code == 0
    assert "platforms.telegram: ok after" in out
    assert "@MyBot" in out
    code, out, err = await check(block, "123456:ABD-secret_token")
    assert code == 1
    assert "platforms.telegram: failed: Telegram does not accept the token" in err
    assert "secret_token" not in out + err
