import io
import json
import logging
from collections.abc import Iterator

import pytest

from bot import log
from bot.api import StoreError

SECRET = "123456:AAE-very-secret-token"


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield io.StringIO()
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_known_secret_stands_in_a_line(stream: io.StringIO, form: str) -> None:
    log.start("debug", form, [SECRET], stream)
    try:
        raise OSError(f"cannot reach https://host/bot{SECRET}/getMe")
    except OSError:
        logging.getLogger("a").exception("call to %s failed", SECRET, extra={"url": SECRET})
    assert "failed" in stream.getvalue()
    assert SECRET not in stream.getvalue()
    assert SECRET[:8] not in stream.getvalue()


def test_the_text_of_a_strangers_exception_is_hidden_its_place_is_not(stream: io.StringIO) -> None:
    log.start("info", "text", (), stream)
    try:
        int("what Ana said in private")
    except ValueError:
        logging.getLogger("a").exception("a plugin failed")
    text = stream.getvalue()
    assert "what Ana said" not in text
    assert "ValueError" in text
    assert "test_log.py" in text


def test_our_own_errors_and_their_causes_are_shown(stream: io.StringIO) -> None:
    log.start("info", "json", (), stream)
    try:
        try:
            raise OSError(28, "No space left on device")
        except OSError as error:
            raise StoreError("the disk is full") from error
    except StoreError:
        logging.getLogger("a").exception("writing failed")
    text = json.loads(stream.getvalue())["error"]
    assert text.index("No space left") < text.index("the disk is full")


def test_every_line_has_the_id_of_its_message(stream: io.StringIO) -> None:
    log.start("info", "json", (), stream)
    token = log.correlation.set("abcd1234")
    logging.getLogger("a").info("done", extra={"plugin": "ai"})
    log.correlation.reset(token)
    line = json.loads(stream.getvalue())
    assert (line["id"], line["plugin"], line["message"]) == ("abcd1234", "ai", "done")


def test_one_event_is_one_line_of_text(stream: io.StringIO) -> None:
    log.start("info", "text", (), stream)
    logging.getLogger("a").info("first\nsecond")
    assert stream.getvalue().count("\n") == 1


def test_libraries_that_print_addresses_are_quiet_at_info(stream: io.StringIO) -> None:
    log.start("info", "text", (), stream)
    logging.getLogger("httpx").info("HTTP Request: POST https://host/bot%s", SECRET)
    assert stream.getvalue() == ""
