"""Many requests at once are spread over clients, and few are not."""

from contextlib import ExitStack
from typing import Any

import httpx

from plugins.ai.providers.clients import AT_ONCE, Clients


async def test_each_client_has_so_many_requests_and_no_more() -> None:
    made: list[httpx.AsyncClient] = []

    def make() -> httpx.AsyncClient:
        made.append(httpx.AsyncClient())
        return made[-1]

    clients = Clients(make)
    with ExitStack() as stack:
        lent = [stack.enter_context(clients.lent()) for _ in range(AT_ONCE * 2 + 1)]
        assert [lent.count(client) for client in made] == [AT_ONCE, AT_ONCE, 1]
    with ExitStack() as stack:
        lent = [stack.enter_context(clients.lent()) for _ in range(AT_ONCE)]
        assert len(set(lent)) == 1, "few requests share one client and its kept connections"
    assert len(made) == 3
    await clients.close()
    assert all(client.is_closed for client in made)


async def test_a_hundred_streams_at_once_are_not_mixed(
    chatting: Any, server: Any, answered: Any, sse: Any
) -> None:
    class Echo:
        def __len__(self) -> int:
            return 1

        def __getitem__(self, _: int) -> Any:
            chat = server.asked[-1].body["messages"][-1]["content"]
            pieces = [sse(f"{chat}-{n} ", stop=None, done=False) for n in range(20)]
            return answered([*pieces, sse("end")], wait=0.002)

    server.script = Echo()
    async with chatting(model=True) as bot:
        for number in range(100):
            message = bot.message(f"c{number}", sender=f"p{number}")
            await bot.dispatcher.receive(message)
        await bot.settle()
        shown = {bot.adapter.chats[i]: reply.text for i, reply in bot.adapter.shown.items()}
    assert shown == {
        f"test:p{c}": "".join(f"c{c}-{n} " for n in range(20)) + "end" for c in range(100)
    }
