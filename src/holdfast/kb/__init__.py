"""Knowledge bases: what there is to link to."""

from holdfast.kb.build import Source, Summary, build_kb
from holdfast.kb.mapping import IdMapper, Target
from holdfast.kb.records import Addition, Entity, Entry, Link, Record
from holdfast.kb.store import KnowledgeBase, installed, kb_folder, open_kb

__all__ = [
    "Addition",
    "Entity",
    "Entry",
    "IdMapper",
    "KnowledgeBase",
    "Link",
    "Record",
    "Source",
    "Summary",
    "Target",
    "build_kb",
    "installed",
    "kb_folder",
    "open_kb",
]
