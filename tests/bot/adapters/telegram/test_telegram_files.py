"""Files that come with a message are fetched when somebody wants them."""

from collections.abc import Callable
from typing import Any

import pytest

from bot.adapters.telegram.files import attachments
from bot.api import AdapterError, Attachment

Talking = Callable[..., Any]
PHOTO = {
    "photo": [
        {"file_id": "small", "file_unique_id": "u", "width": 9, "height": 9, "file_size": 9},
        {"file_id": "large", "file_unique_id": "v", "width": 90, "height": 90, "file_size": 90},
    ]
}


async def test_a_photo_is_fetched_in_its_largest_size(api: Any, talking: Talking) -> None:
    api.files = {"small": b"s", "large": b"l" * 90}
    (file,) = attachments(PHOTO)
    async with talking() as talk:
        assert await talk.adapter.fetch(file, 100) == b"l" * 90
        assert api.of("getFile") == [{"file_id": "large"}]
        with pytest.raises(AdapterError, match="larger than 50"):
            await talk.adapter.fetch(file, 50)


async def test_what_is_gone_is_an_error_of_ours(
    api: Any, talking: Talking, caplog: pytest.LogCaptureFixture
) -> None:
    api.fail("getFile", 400, "Bad Request: wrong file_id")
    async with talking() as talk:
        with pytest.raises(AdapterError, match="Wrong file_id"):
            await talk.adapter.fetch(Attachment("x", id="gone"), 100)
        with pytest.raises(AdapterError) as caught:
            api.files = {"odd": b""}
            api.on_getFile = lambda fields: (
                {"file_id": "odd", "file_unique_id": "u"} | {"file_path": "no/such\n"}
            )
            await talk.adapter.fetch(Attachment("x", id="odd"), 100)
        assert "secret_token" not in f"{caught.value}{caplog.text}"
