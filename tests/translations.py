"""`python -m tests.translations`: the catalogues of texts, brought up to date and compiled.

It collects the texts of the pages (Python and templates) and the engine's sentences, keeps what
is translated, leaves out what is not used any more, and names what is missing. Both the `.po`
and the `.mo` are kept in the repository, so that an installed program has them.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po
from jinja2 import Environment

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "web_ui" / "translations"
LANGUAGES = ("nb", "pl")
HOUSES = ("companion", "hardware_sim", "web_ui")

TAKES: Mapping[str, tuple[int, ...]] = {
    "gettext": (0,),
    "ngettext": (0, 1),
    "say": (0,),
    "say_number": (0, 1),
    "template": (0,),
    "not_now": (1,),
    "not_there": (0,),
}
"""The functions that take a text to be translated, and at which places."""

PASSES_ON = {"not_now", "not_there", "gettext", "ngettext", "_template", "told"}
"""In these functions, a text comes from who calls them."""

PART = re.compile(r"(?<!%)%\((\w+)\)[sd]")

Key = str | tuple[str, str]
"""A text, or with plural that of one and that of many."""


class NotLiteral(Exception):
    """A text to be translated is put together where it is said, so no catalogue can have it."""


def texts() -> dict[Key, set[str]]:
    """All texts that can be translated, each with the files that it is in."""
    found: dict[Key, set[str]] = {}
    for house in HOUSES:
        for path in sorted((ROOT / house).rglob("*.py")):
            for key in texts_of_python(path.read_text(encoding="utf-8"), str(path)):
                found.setdefault(key, set()).add(str(path.relative_to(ROOT)))
    for path in sorted((ROOT / "web_ui" / "templates").rglob("*.html")):
        for key in texts_of_template(path.read_text(encoding="utf-8")):
            found.setdefault(key, set()).add(str(path.relative_to(ROOT)))
    return found


def texts_of_python(source: str, where: str) -> Iterator[Key]:
    """The texts in a module.

    Raises:
        NotLiteral: one is no literal.
    """
    yield from _texts_in(ast.parse(source), where, "")


def _texts_in(node: ast.AST, where: str, function: str) -> Iterator[Key]:
    if isinstance(node, ast.FunctionDef):
        function = node.name
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TAKES:
        places = TAKES[node.func.id]
        given = [node.args[place] for place in places if place < len(node.args)]
        read = [
            each.value
            for each in given
            if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ]
        if len(read) == len(places):
            yield read[0] if len(read) == 1 else (read[0], read[1])
        elif function not in PASSES_ON:
            raise NotLiteral(f"{where}, line {node.lineno}: {ast.unparse(node)[:80]}")
    for child in ast.iter_child_nodes(node):
        yield from _texts_in(child, where, function)


def texts_of_template(source: str) -> Iterator[Key]:
    """The texts in a template."""
    environment = Environment(extensions=["jinja2.ext.i18n"], autoescape=True)
    for _, function, text in environment.extract_translations(source):
        if function == "ngettext":
            one, many, *_ = text
            yield str(one), str(many)
        else:
            yield text if isinstance(text, str) else str(text[0])


def po(language: str) -> Path:
    """The catalogue of a language, for translators."""
    return FOLDER / language / "LC_MESSAGES" / "messages.po"


def mo(language: str) -> Path:
    """The same, compiled."""
    return po(language).with_suffix(".mo")


def catalogue(language: str) -> Catalog:
    """What is translated; empty where nothing is yet."""
    if not po(language).exists():
        return Catalog(locale=language)
    with po(language).open("rb") as file:
        return read_po(file, locale=language)


def renewed(language: str, wanted: Mapping[Key, set[str]]) -> Catalog:
    """The catalogue with exactly these texts, and what was translated of them."""
    known = catalogue(language)
    fresh = Catalog(
        locale=language,
        project="Tidetable",
        msgid_bugs_address="-",
        version="1",
        creation_date=datetime(2026, 1, 1, tzinfo=UTC),  # so that only texts make a difference
        revision_date=datetime(2026, 1, 1, tzinfo=UTC),
        last_translator="Tidetable",
        language_team=language,
        header_comment=f"# Texts of Tidetable: {language}.",
        fuzzy=False,
    )
    for key, files in wanted.items():
        old = known.get(key[0] if isinstance(key, tuple) else key)
        string = old.string if old is not None and old.id == key else ""
        fresh.add(key, string, locations=[(name, 0) for name in sorted(files)])
    return fresh


def update(language: str, wanted: Mapping[Key, set[str]]) -> None:
    """Write the catalogue of a language and compile it."""
    fresh = renewed(language, wanted)
    po(language).parent.mkdir(parents=True, exist_ok=True)
    with po(language).open("wb") as file:
        write_po(file, fresh, width=100, sort_output=True, include_lineno=False)
    for message in list(fresh):
        if message.id and not all(_forms(message)):
            fresh.delete(message.id)  # one that is not translated is shown in English
    with mo(language).open("wb") as file:
        write_mo(file, fresh)


def missing(language: str, wanted: Mapping[Key, set[str]]) -> list[str]:
    """The texts that are not in the catalogue, or not translated."""
    known = catalogue(language)
    return [str(key) for key in wanted if not _is_translated(known, key)]


def _is_translated(known: Catalog, key: Key) -> bool:
    message = known.get(key[0] if isinstance(key, tuple) else key)
    return message is not None and message.id == key and all(_forms(message))


def unused(language: str, wanted: Mapping[Key, set[str]]) -> list[str]:
    """The texts in the catalogue that are nowhere said any more."""
    known = catalogue(language)
    gone = [message.id for message in known if message.id and message.id not in wanted]
    return [str(key) for key in (*gone, *known.obsolete)]


def faults(language: str) -> list[str]:
    """What is wrong with the translations that there are."""
    known = catalogue(language)
    found = [f"fuzzy: {message.id}" for message in known if message.id and message.fuzzy]
    for message in known:
        if message.id:
            found += _faults_of(message, known.num_plurals)
    with mo(language).open("rb") as file:
        compiled = _translated(read_mo(file))
    if compiled != _translated(known):
        found.append(f"{mo(language).name} was not made from {po(language).name}")
    return found


def _translated(known: Catalog) -> dict[Key, tuple[str, ...]]:
    return {
        tuple(message.id) if isinstance(message.id, list | tuple) else message.id: _forms(message)
        for message in known
        if message.id and all(_forms(message))
    }


def _forms(message: Message) -> tuple[str, ...]:
    several = isinstance(message.string, list | tuple)
    return tuple(message.string) if several else (message.string,)


def _faults_of(message: Message, plurals: int) -> Iterator[str]:
    forms = _forms(message)
    if not any(forms):
        return
    if isinstance(message.id, tuple):
        if len(forms) != plurals or not all(forms):
            yield f"{len(forms)} plural forms: {message.id}"
        required = set.intersection(*(set(PART.findall(text)) for text in message.id)) - {"num"}
        allowed = set().union(*(PART.findall(text) for text in message.id))
    else:
        required = allowed = set(PART.findall(message.id))
    for form in forms:
        if not required <= set(PART.findall(form)) <= allowed:
            yield f"other parts than the original: {form}"


def main() -> int:
    """Bring all catalogues up to date and say what is missing and what was unused."""
    wanted = texts()
    lacks = False
    for language in LANGUAGES:
        for text in unused(language, wanted):
            print(f"{language}: no longer used, left out: {text}")
        update(language, wanted)
        lacking = missing(language, wanted)
        lacks = lacks or bool(lacking)
        for text in lacking:
            print(f"{language}: missing: {text}")
        for fault in faults(language):
            print(f"{language}: {fault}")
        print(f"{language}: {len(wanted) - len(lacking)} of {len(wanted)} texts are translated")
    return int(lacks)


if __name__ == "__main__":
    sys.exit(main())
