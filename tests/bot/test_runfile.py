import json
from pathlib import Path

import pytest

from bot.api import BotError
from bot.runfile import STATE, health, running


def test_a_second_bot_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    with (
        running(tmp_path),
        pytest.raises(BotError, match="another bot is running"),
        running(tmp_path),
    ):
        pass
    with running(tmp_path):
        pass


def test_health_says_what_is_wrong(tmp_path: Path) -> None:
    assert health(tmp_path) == (False, "not running")
    with running(tmp_path / "new") as beat:
        beat({"degraded": {}})
        assert health(tmp_path / "new") == (True, "running")
        beat({"degraded": {"telegram": "another instance polls"}})
        assert health(tmp_path / "new") == (False, "telegram: another instance polls")
        state = json.loads((tmp_path / "new" / STATE).read_text())
        (tmp_path / "new" / STATE).write_text(json.dumps({**state, "time": 0}))
        assert health(tmp_path / "new") == (False, "not responding")
    assert health(tmp_path / "new") == (False, "not running")
