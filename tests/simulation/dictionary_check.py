"""A proof that the columns and the index of a dictionary agree."""

from __future__ import annotations

import numpy as np

from rete.arrays.lexical_classes import UNSEEN
from rete.arrays.term_columns import (
    ALIASES,
    BASE,
    IS_ALIAS,
    IS_LIVE,
    IS_PINNED,
    KIND_BLANK,
    KIND_MASK,
    KIND_SHIFT,
    LENGTH_SHIFT,
    META,
    NEVER,
    OFFSET,
)
from rete.terms.dictionary import Dictionary
from rete.terms.literal_values import value_text


def check_dictionary(terms: Dictionary) -> None:
    """Prove that columns and index agree. Costs O(terms)."""
    texts = terms.texts
    used, top, free, live, aliases = texts.state[: ALIASES + 1].tolist()
    base = int(texts.state[BASE])
    metas = texts.entries[:top, META]
    living = np.flatnonzero(metas & IS_LIVE)
    own = living[metas[living] & IS_ALIAS == 0]
    assert len(living) == base + live, (len(living), live)
    assert (own[:base] == np.arange(1, base + 1)).all()
    assert (metas[1 : base + 1] & IS_PINNED != 0).all()
    found = texts.hashes[:base]
    assert (found[1:] >= found[:-1]).all()
    hashes = np.empty(base, np.uint64)
    terms.kernel.hashes(texts, own[:base], hashes)
    blank = metas[1 : base + 1] >> KIND_SHIFT & KIND_MASK == KIND_BLANK
    assert (blank | (hashes == found)).all()  # a blank node of it may be called otherwise
    assert len(living) - len(own) == aliases
    assert not texts.entries[0].any()
    assert not texts.entries[top:].any()
    idle = np.sort(texts.free[:free])
    assert np.array_equal(idle, np.setdiff1d(np.arange(1, top), living))
    starts = texts.entries[living, OFFSET]
    ends = starts + (metas[living] >> LENGTH_SHIFT)
    order = np.lexsort((ends, starts))
    assert (starts[order][1:] >= ends[order][:-1]).all()
    assert (ends <= used).all()
    assert used <= len(texts.arena)
    words = terms.decode_many(own)
    assert len(set(words)) == len(words)
    places = [terms.lookup(word) for word in words]
    assert all(
        place == term or (term <= base and blank[term - 1])
        for place, term in zip(places, own.tolist(), strict=True)
    )
    aliases = np.setdiff1d(living, own)
    assert np.isin(texts.last[aliases], own).all()
    if terms.by_value:
        assert list(map(value_text, words)) == words
        spelled = [text for text in terms.decode_many(aliases) if text.startswith('"')]
        assert all(terms.lookup(text) for text in spelled)
    dead = np.setdiff1d(np.arange(1, top), living)
    assert (texts.last[dead] == NEVER).all()
    unused = np.setdiff1d(np.arange(1, len(texts.last)), living)
    assert (texts.classes[unused] == -1).all()
    assert (texts.lexical[unused] == UNSEEN).all()
