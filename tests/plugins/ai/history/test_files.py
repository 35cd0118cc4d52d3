"""Conversations in files: what stays on the disk, and what a damaged file does."""

import logging
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.api import Entry, Role, StoreError
from plugins.ai.history.files import REMEMBERED, FileLog

CHAT = "test:c"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "history"


@pytest.fixture
def opened(folder: Path) -> Callable[[], FileLog]:
    return lambda: FileLog(folder, logging.getLogger("test"))


def said(*texts: str, person: str = "test:1") -> list[Entry]:
    return [Entry(Role.USER, text, person) for text in texts]


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


async def texts(log: FileLog, chat: str = CHAT, **options: Any) -> list[Any]:
    return [entry.content for entry in await log.latest(chat, 99, **options)]


async def test_what_was_said_is_there_after_a_restart(opened: Any) -> None:
    log = opened()
    await log.append(CHAT, said(*"abc"))
    await log.archive(CHAT, 3)
    await log.append(CHAT, said("d"))
    again = opened()
    assert await texts(again) == ["c", "d"]
    assert await texts(again, archived=True) == ["a", "b", "c", "d"]
    assert await again.chats() == [CHAT]
    assert [entry.sequence for entry in await again.append(CHAT, said("e"))] == [5]


async def test_only_the_bots_own_user_reads_them(opened: Any, folder: Path) -> None:
    await opened().append(CHAT, said("a"))
    (file,) = files(folder)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (file.parent, file)] == [0o700, 0o600]


@pytest.mark.parametrize("cut", range(2, 60, 7))
async def test_a_write_that_was_cut_off_costs_only_itself(
    opened: Any, folder: Path, cut: int
) -> None:
    await opened().append(CHAT, said("whole"))
    (file,) = files(folder)
    await opened().append(CHAT, said("cut", "off"))
    file.write_bytes(file.read_bytes()[:-cut])
    log = opened()
    assert await texts(log) == ["whole"]
    await log.append(CHAT, said("next"))
    assert await texts(log) == ["whole", "next"]
    assert await texts(opened()) == ["whole", "next"]


async def test_a_line_without_its_end_counts(opened: Any, folder: Path) -> None:
    await opened().append(CHAT, said("edited"))
    (file,) = files(folder)
    file.write_bytes(file.read_bytes().rstrip())
    await opened().append(CHAT, said("next"))
    assert await texts(opened()) == ["edited", "next"]


async def test_a_line_that_nobody_can_read_blocks_nothing(
    opened: Any, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await opened().append(CHAT, said("secret"))
    (file,) = files(folder)
    head, line = file.read_bytes().splitlines(keepends=True)
    wrong = b'{"archived": "x"}\n[{"role": "king"}]\n3\nnull\n\xff{secret\n'
    file.write_bytes(head + wrong + line)
    log = opened()
    assert await texts(log) == ["secret"]
    assert "line 2 of" in caplog.text
    assert "secret" not in caplog.text
    await log.append(CHAT, said("next"))
    assert await texts(opened()) == ["secret", "next"]


@pytest.mark.parametrize("left", [True, False])
async def test_what_is_dropped_is_on_the_disk_no_more(opened: Any, folder: Path, left: Any) -> None:
    log = opened()
    await log.append(CHAT, said("secret one", "secret two"))
    await log.append(CHAT, said(*["other"] * left, person="test:2"))
    await log.archive(CHAT, 2)
    (folder / "stale.new").write_text("secret")
    log = opened()
    assert await log.drop(CHAT, lambda entry: entry.person == "test:1") == 2
    left_files = files(folder)
    assert b"secret" not in b"".join(file.read_bytes() for file in left_files)
    assert await texts(opened(), archived=True) == ["other"] * left
    assert bool(left_files) is left


async def test_another_programs_entries_are_seen(opened: Any) -> None:
    bot, other = opened(), opened()
    await bot.append(CHAT, said("a"))
    await other.append(CHAT, said("b"))
    assert await texts(bot) == ["a", "b"]
    await bot.append(CHAT, said("c"))
    assert await texts(other) == ["a", "b", "c"]


async def test_many_chats_are_not_all_held_in_memory(opened: Any) -> None:
    log = opened()
    for number in range(REMEMBERED + 20):
        await log.append(f"test:{number}", said(str(number)))
    assert len(log._records) == REMEMBERED
    assert await texts(log, "test:0") == ["0"]
    assert len(await log.chats()) == REMEMBERED + 20


async def test_a_folder_that_cannot_be_written_is_told(opened: Any, folder: Path) -> None:
    log = opened()
    log.path(CHAT).mkdir()
    with pytest.raises(StoreError, match="test-c-"):
        await log.append(CHAT, said("secret"))


async def test_a_link_in_a_files_place_is_not_followed(
    opened: Any, folder: Path, tmp_path: Path
) -> None:
    log = opened()
    target = tmp_path / "elsewhere"
    target.write_text("")
    log.path(CHAT).symlink_to(target)
    with pytest.raises(StoreError):
        await log.append(CHAT, said("a"))
    assert not target.read_text()
