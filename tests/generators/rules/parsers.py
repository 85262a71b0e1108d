"""Reading and writing rules in R4's language, with metric operators, as the commands do."""

from __future__ import annotations

from functools import partial

import rif.parser
import rif.text.parser
import rif.text.readable_writer
import rif.text.writer
import rif.xml.parser
import rif.xml.writer
from r4.language import LANGUAGE

PLAIN = LANGUAGE.with_syntax(strict=True)
"""The language without shorthand: its texts say all trees, also those that have no meaning."""

parse = partial(rif.text.parser.parse, language=LANGUAGE)
parse_formula = partial(rif.text.parser.parse_formula, language=LANGUAGE)
parse_bytes = partial(rif.parser.parse_bytes, language=LANGUAGE)
parse_conclusion = partial(rif.parser.parse_conclusion, language=LANGUAGE)
parse_either = partial(rif.parser.parse_either, language=LANGUAGE)
parse_xml = partial(rif.xml.parser.parse_xml, language=LANGUAGE)
parse_xml_either = partial(rif.xml.parser.parse_xml_either, language=LANGUAGE)
unparse = partial(rif.text.writer.unparse, language=LANGUAGE)
unparse_formula = partial(rif.text.writer.unparse_formula, language=LANGUAGE)
write_xml = partial(rif.xml.writer.write_xml, language=LANGUAGE)
write_xml_formula = partial(rif.xml.writer.write_xml_formula, language=LANGUAGE)
write_readable = partial(rif.text.readable_writer.write_readable, language=LANGUAGE)
