"""Who is who: the canonical person behind an account."""

from bot.api import Account, People, Person


class Identity:
    """Tells the people apart from those who are nobody, of whom nothing is ever kept."""

    def __init__(self, people: People) -> None:
        self._people = people

    async def resolve(self, account: Account) -> Person | None:
        """Return the person of an account, None for a bot or one who speaks as a chat."""
        if account.anonymous or account.is_bot:
            return None
        return await self._people.resolve(account)

    async def guess(self, account: Account) -> Person | None:
        """Return the person of an account as `resolve` does, but keep nothing of a new one."""
        if account.anonymous or account.is_bot:
            return None
        return await self._people.find(account) or Person(account.key)

    async def choose_language(self, person: str, language: str | None) -> None:
        """Keep the language that a person chose, or forget it."""
        await self._people.set_language(person, language)
