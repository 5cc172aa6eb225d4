"""`python -m benchmarks.page_lines`: which lines of today's modules go, stay or change if pages replace snapshot and archive.

Each definition of a module that touches the snapshot or the archive has a verdict; its lines, decorators included, are counted in the tree.
What lies outside of definitions (imports, constants, the module's docstring) goes with a module that goes wholly, and else stays.
"""

import ast
import sys
from pathlib import Path
from typing import Final

# A definition that is not named stays. "Class.method" names a method; "*": the whole module goes.
GOES: Final[dict[str, tuple[str, ...]]] = {
    "shared/conversation/snapshot.py": ("*",),
    "shared/conversation/snapshot_records.py": ("*",),
    "shared/conversation/compaction.py": ("*",),
    "shared/conversation/recap.py": ("*",),
    "shared/conversation/leaving.py": ("*",),
    "shared/conversation/archive.py": ("*",),
    "shared/conversation/segments.py": ("*",),
    "shared/conversation/inheritance.py": ("*",),
    "shared/conversation/recollection.py": ("Recollection.of_archive", "_outcome_of"),
    "shared/conversation/sweep.py": ("Sweep.clean_these",),
    "shared/storage/segment_name.py": ("*",),
    "shared/storage/object_names.py": ("ObjectNames.snapshot", "ObjectNames.archive_prefix", "ObjectNames.segment"),
    "operations/restoration.py": ("_unname_segments",),
    "shared/conversation/withdrawal.py": ("_repeatable",),
    "shared/conversation/amendments.py": ("Amendments.replaced_in",),
}  # fmt: skip
CHANGES: Final[dict[str, tuple[str, ...]]] = {
    "shared/conversation/withdrawal.py": (
        "Withdrawal._edit_now", "Withdrawal._overtake_folds", "Withdrawal._plan", "Withdrawal._erase_readable",
        "Withdrawal._plan_erasure", "Withdrawal._remove_words", "_drop_unreadable", "_look_through", "_with_erased",
    ),
    "shared/conversation/sweep.py": (
        "Sweep.begin_with", "Sweep.naming", "Sweep.naming_more", "Sweep.segments_after", "Sweep.clean", "Sweep.clean_all",
        "Sweep._hits", "Sweep._rewrite", "_decoded",
    ),
    "shared/conversation/history_reader.py": ("Listing", "HistoryReader.list", "HistoryReader.read", "history_of"),
    "shared/conversation/captions.py": ("CaptionWriter.write", "uncaptioned", "_marked", "_with_captions"),
    "shared/conversation/person_messages.py": ("PersonMessages.stored_in",),
    "shared/conversation/store.py": ("Conversation", "Conversations.on", "Conversations.of"),
    "shared/conversation/descent.py": ("repeatable",),
    "shared/conversation/quotes.py": ("Quotable",),
    "operations/conversations.py": (),
    "operations/persons.py": ("_messages",),
    "operations/restoration.py": (),
    "shared/handlers/edit.py": (),
    "shared/handlers/holdings.py": (),
    "shared/handlers/message.py": (),
    "shared/handlers/traces.py": (),
    "shared/agent/chat_memory.py": (),
    "shared/agent/turn_context.py": (),
    "simulator/panels/memory_reader.py": (),
    "selfhost/retention.py": (),
}  # fmt: skip
MOVED: Final = {  # stays, but in another module than one that goes
    "shared/conversation/snapshot_records.py": ("Recap",),
    "shared/conversation/recap.py": ("Summariser",),
    "shared/conversation/segments.py": ("without_provenance", "with_provenance"),
}
WRITTEN: Final = (
    "shared/conversation/page_fold.py",
    "shared/conversation/page_recaps.py",
    "shared/conversation/page_records.py",
    "shared/conversation/page_retention.py",
    "shared/conversation/pages.py",
    "shared/storage/page_name.py",
)


def spans_in(path: Path) -> dict[str, int]:
    """Return the lines of each function, class and method of a module."""
    lines: dict[str, int] = {}
    for node in ast.parse(path.read_text()).body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        lines[node.name] = _length(node)
        if isinstance(node, ast.ClassDef):
            methods = (one for one in node.body if isinstance(one, ast.FunctionDef))
            lines |= {f"{node.name}.{one.name}": _length(one) for one in methods}
    return lines


def _length(node: ast.FunctionDef | ast.ClassDef) -> int:
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    return (node.end_lineno or first) - first + 1


def main() -> int:
    """Print the table.  Returns the exit status."""
    root = Path(__file__).parents[1]
    gone = changed = 0
    print("| module | lines | go | change | stay |\n|---|---|---|---|---|")
    for module in sorted({*GOES, *CHANGES}):
        text = (root / module).read_text()
        whole, spans = len(text.splitlines()), spans_in(root / module)
        names = GOES.get(module, ())
        unknown = [one for one in (*names, *CHANGES.get(module, ())) if one != "*" and one not in spans]
        moved = sum(spans[one] for one in MOVED.get(module, ()))
        goes = whole - moved if "*" in names else sum(spans.get(one, 0) for one in names)
        changes = sum(spans.get(one, 0) for one in CHANGES.get(module, ()))
        gone, changed = gone + goes, changed + changes
        print(
            f"| `{module}` | {whole} | {goes} | {changes} | {whole - goes - changes} |{' ?? ' + str(unknown) if unknown else ''}"
        )
    written = {one: len((root / one).read_text().splitlines()) for one in WRITTEN}
    print(
        f"\ngo {gone}, change {changed}\nwritten {sum(written.values())}: {written}\nnet {sum(written.values()) - gone:+}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
