"""The options of privacy."""

from datetime import timedelta
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from bot.api import Duration

SHORTEST = timedelta(hours=1)


def _lasting(value: timedelta) -> timedelta:
    if value < SHORTEST:
        raise ValueError("the shortest retention is 1h")
    return value


Retained = Annotated[Duration, AfterValidator(_lasting)]


class RetentionConfig(BaseModel):
    """How long things are kept; without an entry, until they are erased."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    messages: Retained | None = Field(default=None, description="what was said, such as 180d")
    facts: Retained | None = Field(
        default=None, description="what is remembered of people, from its last statement on"
    )


class PrivacyConfig(BaseModel):
    """The block ``plugins.privacy``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    retention: RetentionConfig = Field(
        default=RetentionConfig(), description="how long things are kept"
    )
