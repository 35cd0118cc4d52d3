from datetime import timedelta

import pytest
from pydantic import BaseModel, ValidationError

from bot.api import Duration, Id, Size, parse_duration, parse_id, parse_size


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("500ms", 0.5), ("10s", 10), ("1.5h", 5400), ("90d", 7_776_000), ("2w", 1_209_600)],
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "10", "s", "-5s", "10 years", "1e3s", None, 5, True])
def test_what_is_no_duration(text: object) -> None:
    with pytest.raises(ValueError, match="a duration is a number and a unit"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "size"), [("20MiB", 20 << 20), ("500kB", 500_000), ("1 gib", 1 << 30), (7, 7)]
)
def test_sizes(text: object, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "MiB", "-1MiB", "5 parsecs", True, -1, 1.5])
def test_what_is_no_size(text: object) -> None:
    with pytest.raises(ValueError, match="a size is a number and a unit"):
        parse_size(text)


class Options(BaseModel):
    wait: Duration = timedelta(seconds=1)
    limit: Size = 1


def test_they_are_fields_of_a_model() -> None:
    options = Options.model_validate({"wait": "2m", "limit": "1kB"})
    assert (options.wait, options.limit) == (timedelta(minutes=2), 1000)
    with pytest.raises(ValidationError, match="a duration is a number and a unit"):
        Options.model_validate({"wait": "soon"})
    assert Options.model_json_schema()["properties"]["wait"]["type"] == "string"


def test_what_is_too_long_or_too_large_is_refused() -> None:
    with pytest.raises(ValueError, match="longer than any duration"):
        parse_duration("99999999999w")
    with pytest.raises(ValueError, match="larger than any size"):
        parse_size("9" * 400 + "GiB")


@pytest.mark.parametrize("value", [1234567890123456789, "1234567890123456789", "0123", "-100", 7])
def test_an_id_keeps_its_digits(value: object) -> None:
    class Model(BaseModel):
        channel: Id

    model = Model.model_validate({"channel": value})
    assert model.channel == str(value)
    assert f'"{value}"' in model.model_dump_json()


@pytest.mark.parametrize("value", [1.23e18, "1.23e18", True, None, "", "@name", "12 34", "١٢"])
def test_what_is_no_id(value: object) -> None:
    with pytest.raises(ValueError, match="an id is a whole number with all of its digits"):
        parse_id(value)
