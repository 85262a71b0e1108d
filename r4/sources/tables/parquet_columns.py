"""The values of columns of Parquet as texts, as XSD writes them."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from r4.sources.tables.table_columns import TableColumn


def text_column(column: pa.Array, midnight: str) -> TableColumn:
    """The values as `column_values` gives them, as texts; "" for null.

    Raises `pa.ArrowException` if it has a type without texts, or texts that are no UTF-8.
    """
    if pa.types.is_floating(column.type):  # equal numbers may be written in two ways
        column = column.cast(pa.string())
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    used = column.indices.drop_null().unique()
    texts = _texts(column.dictionary.take(used), midnight=midnight).fill_null("")
    texts.validate(full=True)  # that it is UTF-8
    texts = pa.concat_arrays([texts, pa.array([""], pa.string())])
    places = pc.index_in(column.indices, value_set=used).fill_null(len(texts) - 1)
    return TableColumn(pa.DictionaryArray.from_arrays(places, texts))


def column_values(column: pa.Array, *, utc: str = "", midnight: str = "") -> list[str | int | None]:
    """Integers as they are, other values as texts of XSD: times without zeros behind them.

    ``utc`` stands behind timestamps without a zone, ``midnight`` behind dates.
    """
    if pa.types.is_dictionary(column.type):
        places: list[int | None] = column.indices.to_pylist()
        used = [each for each in dict.fromkeys(places) if each is not None]
        own = column.dictionary.take(pa.array(used, pa.int64()))
        texts = column_values(own, utc=utc, midnight=midnight)
        text_of: dict[int | None, str | int | None] = dict(zip(used, texts, strict=True))
        return [text_of.get(place) for place in places]
    if pa.types.is_integer(column.type):
        return list(column.to_pylist())
    return list(_texts(column, utc=utc, midnight=midnight).to_pylist())


def _texts(column: pa.Array, *, utc: str = "", midnight: str = "") -> pa.Array:
    """Values, of no dictionary, as texts; as `column_values`."""
    texts = _timeless(column).cast(pa.string())
    if pa.types.is_timestamp(column.type):
        end = utc if column.type.tz is None else "Z"
        dated = pc.replace_substring(_shortest(texts), " ", "T")
        return pc.binary_join_element_wise(dated, end, "")
    if pa.types.is_time(column.type):
        return _shortest(texts)
    if pa.types.is_date(column.type):
        return pc.binary_join_element_wise(texts, midnight, "")
    return texts


def _timeless(column: pa.Array) -> pa.Array:
    """A column whose timestamps are UTC without a zone: with one, the local time is written."""
    return (
        column.cast(pa.timestamp(column.type.unit))
        if pa.types.is_timestamp(column.type)
        else column
    )


def _shortest(texts: pa.Array) -> pa.Array:
    """Times without zeros at the end of their fractions."""
    shorter = pc.ascii_rtrim(pc.ascii_rtrim(texts, "0"), ".")
    return pc.if_else(pc.match_substring(texts, "."), shorter, texts)
