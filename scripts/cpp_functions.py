"""Finds the functions of a C++ file by counting braces; enough to measure their length."""
import re
from typing import NamedTuple


class Function(NamedTuple):
    name: str
    line: int
    lines: int


COMMENT_OR_TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/'                        # comments
    r'|R"([^()\s]*)\(.*?\)\1"'                   # raw strings
    r'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',  # strings and characters
    re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
DIGIT_SEPARATOR = re.compile(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])")
# What may stand before the declaration that a brace belongs to.
PREFIX = re.compile(r"^(?:\s|(?:public|private|protected)\s*:|\[\[.*?\]\]|template\s*<[^;{}]*?>\s*"
                    r"(?=[a-zA-Z_:]))+")
CONTAINER = re.compile(r"(?:inline\s+)?(?:namespace|class|struct|union|extern)\b")
MEMBER_INITIALIZER = re.compile(r"\)\s*(?:noexcept\s*)?:[^:]")


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def plain(text):
    """The code with comments, texts and directives blanked out; no line moves."""
    text = DIGIT_SEPARATOR.sub(" ", text)
    return DIRECTIVE.sub(blank, COMMENT_OR_TEXT.sub(blank, text))


def closing(code, start):
    """Where the brace at `start` closes."""
    depth = 0
    for at in range(start, len(code)):
        depth += {"{": 1, "}": -1}.get(code[at], 0)
        if depth == 0:
            return at
    return len(code) - 1


def kind_of(head):
    """What the brace after `head` opens: a container, a function, or something without interest."""
    head = PREFIX.sub("", head).strip()
    if CONTAINER.match(head) and not head.endswith(")"):
        return "container"
    if "(" not in head or head.startswith("enum") or head.endswith("="):
        return "other"
    if MEMBER_INITIALIZER.search(head) and re.search(r"\w$", head):
        return "other"  # Constructor() : member{value}
    return "function"


def functions(text):
    code = plain(text)
    at = head_start = 0
    while at < len(code):
        if code[at] in ";}":
            head_start = at + 1
        elif code[at] == "{":
            head = code[head_start:at]
            kind = kind_of(head)
            if kind == "container":
                head_start = at + 1
            else:
                end = closing(code, at)
                if kind == "function":
                    first = head_start + len(PREFIX.match(head)[0] if PREFIX.match(head) else "")
                    names = re.findall(r"([\w:~]+)\s*\(", head)
                    line = code.count("\n", 0, first) + 1
                    yield Function(names[0] if names else "?", line,
                                   code.count("\n", first, end) + 1)
                    head_start = end + 1
                at = end
        at += 1
