"""``tertulia check --online`` over servers on loopback."""

from typing import Any


async def test_discord_says_who_the_bot_is(check_online: Any, discord_server: Any) -> None:
    token, url = discord_server.token, discord_server.url
    block = f"platforms: {{discord: {{token: '${{SECRET}}', base_url: '{url}'}}}}"
    code, out, err = await check_online(block, token)
    assert (code, err) == (0, "")
    assert "platforms.discord: ok after" in out
    code, out, err = await check_online(block, f"{token}x")
    assert code == 1
    assert "platforms.discord: failed: " in err
    assert token not in out + err
