"""``tertulia check --online`` over servers on loopback."""

from typing import Any


async def test_telegram_says_who_the_bot_is(check_online: Any, api: Any) -> None:
    block = f"platforms: {{telegram: {{token: '${{SECRET}}', base_url: '{api.url}'}}}}"
    code, out, _ = await check_online(block, "123456:ABC-secret_token")
    assert code == 0
    assert "platforms.telegram: ok after" in out
    assert "@MyBot" in out
    code, out, err = await check_online(block, "123456:ABD-secret_token")
    assert code == 1
    assert "platforms.telegram: failed: Telegram does not accept the token" in err
    assert "secret_token" not in out + err
