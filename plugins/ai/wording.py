"""What the person reads when an answer fails or ends too soon."""

from collections.abc import Mapping
from typing import Final

from bot.api import gettext_noop
from plugins.ai.providers.provider import Fault, Stop

FAILED: Final[Mapping[Fault, str]] = {
    Fault.UNREACHABLE: gettext_noop(
        "I can't reach my language model at the moment. Please ask again in a minute."
    ),
    Fault.TIMEOUT: gettext_noop(
        "My language model took too long to answer. Please ask again, or ask for less at once."
    ),
    Fault.BUSY: gettext_noop(
        "My language model has too much to do at the moment. Please ask again in a minute."
    ),
    Fault.DOWN: gettext_noop(
        "My language model is out of order at the moment. Please ask again in a few minutes."
    ),
    Fault.QUOTA: gettext_noop(
        "My language model's allowance is used up, so I can't answer until whoever runs this bot"
        " renews it. Please try again later."
    ),
    Fault.DENIED: gettext_noop(
        "My language model doesn't let me in. Whoever runs this bot has to mend that;"
        " please tell them."
    ),
    Fault.REFUSED: gettext_noop(
        "My language model didn't accept this request. Please put it differently, or begin anew"
        " with /reset."
    ),
    Fault.TOO_LONG: gettext_noop(
        "That is too long for my language model. Please send it in smaller parts."
    ),
    Fault.BROKEN: gettext_noop("My language model's answer came in broken. Please ask again."),
}
"""The line for each way in which a provider fails before anything of the answer was shown."""

CUT: Final[Mapping[Stop, str]] = {
    Stop.LENGTH: gettext_noop("(The answer ends here because it got too long. Ask me to go on.)"),
    Stop.FILTER: gettext_noop(
        "(The answer ends here because the model's provider filtered the rest.)"
    ),
}
"""The line under an answer that its provider ended too soon."""

BROKEN_OFF: Final = gettext_noop(
    "(The answer broke off here: the connection to my language model failed. Please ask again.)"
)
STOPPED: Final = gettext_noop("(I stopped here, because you went on.)")
REPLACED: Final = gettext_noop(
    "(Another model than usual answered this, since mine is out of order.)"
)
EMPTY: Final = gettext_noop(
    "My language model gave no answer. Please ask again, or put it differently."
)
UNKNOWN: Final = gettext_noop("I don't know: I found no answer to that in my documents.")
