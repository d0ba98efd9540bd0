"""The command `zirve` from Python: what it answers as JSON, and its exit status."""

import json
import os
import shutil
import subprocess
from collections import namedtuple

Answer = namedtuple("Answer", "code result words")


class CommandMissing(RuntimeError):
    """The command is not there."""


def find():
    """$ZIRVE, then the path, then a build tree that this file is part of."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    built = os.path.join(root, "build", "src", "cli", "zirve")
    for name in (os.environ.get("ZIRVE"), shutil.which("zirve"), built):
        if name and os.access(name, os.X_OK):
            return name
    raise CommandMissing("zirve is not on the path; ZIRVE=/path/to/zirve says where it is")


def command(*words):
    """Runs `zirve WORDS --json`: (exit status, what it answers or None, what it says beside)."""
    done = subprocess.run([find(), *[str(word) for word in words], "--json"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    text = done.stdout.decode("utf-8", "replace")
    return Answer(done.returncode, json.loads(text) if text.strip() else None,
                  done.stderr.decode("utf-8", "replace").strip())
