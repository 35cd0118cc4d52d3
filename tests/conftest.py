"""What tests of several parts use."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.cli import command


@pytest.fixture
def check_online(
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
