"""`emoharbor report`, as somebody types it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Command = Callable[..., Any]


def test_the_command_writes_what_the_name_says(emoharbor: Command, folder: Path) -> None:
    (folder / "c.yaml").write_text(
        "run: {max_turns: 1}\nprofiles: [P010]\nsupporters: [{name: attuned, use: offline, style: attuned}]\n",
        encoding="utf-8",
    )
    assert emoharbor("run", "c.yaml", "-o", "r").code == 0
    said = json.loads(emoharbor("report", "r", "-o", "r.html", "--episodes", "P010/attuned", "--json").out)
    assert (said["format"], said["file"]) == ("html", "r.html")
    assert [item["episode"] for item in said["episodes"]] == ["P010/attuned/0"]
    assert emoharbor("report", "r", "-o", "r.md", "--episodes", "none").code == 0

    assert (folder / "r.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    text = (folder / "r.md").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert "**Turn 0**" not in text
    missed = emoharbor("report", "r", "--episodes", "P999")
    assert (missed.code, "no episode begins with 'P999'" in missed.err) == (2, True)
