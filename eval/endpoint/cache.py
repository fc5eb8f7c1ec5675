"""A simulated prefix cache, as OpenAI describes its own: what the provider would not have to compute again."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

CHARACTERS_A_TOKEN = 4
BLOCK_TOKENS = 128
LEAST_TOKENS = 1024
_KEPT_BLOCKS = 200_000


class PrefixCache:
    """Remembers the prefixes of prompts in blocks. The response's schema and the tools come before the messages."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, None] = OrderedDict()

    def take(self, body: Mapping[str, Any]) -> tuple[int, int]:
        """Return (tokens of the prompt, tokens of it that were cached), and remember the prompt."""
        prompt = rendered(body)
        size = BLOCK_TOKENS * CHARACTERS_A_TOKEN
        digest = hashlib.sha256(str(body.get("model")).encode())
        cached, unbroken = 0, True
        for start in range(0, len(prompt) - size + 1, size):
            digest.update(prompt[start : start + size].encode("utf-8", "replace"))
            block = digest.digest()
            unbroken = unbroken and block in self._known
            cached += BLOCK_TOKENS if unbroken else 0
            self._known[block] = None
            self._known.move_to_end(block)
        while len(self._known) > _KEPT_BLOCKS:
            self._known.popitem(last=False)
        return tokens(prompt), cached if cached >= LEAST_TOKENS else 0


def rendered(body: Mapping[str, Any]) -> str:
    """Return a request as the text whose prefix counts."""
    first = json.dumps([body.get("response_format"), body.get("tools")], ensure_ascii=False)
    said = (f"<|{item.get('role')}|>{item.get('content')}" for item in body["messages"])
    return first + "".join(said)


def tokens(text: str) -> int:
    """Return the tokens of a text: four characters each."""
    return -(-len(text) // CHARACTERS_A_TOKEN)
