"""Brings values from both sides to one form that compares and hashes, and writes values as SQL literals.

Floats become their bit patterns (so -0.0 differs from 0.0, and any NaN equals any other), FLOAT at 32 bits; decimals
become exact numbers; times and timestamps become numbers of nanoseconds; maps become sorted tuples.
"""
import collections
import datetime
import decimal
import json
import math
import re
import struct


EPOCH = datetime.datetime(1970, 1, 1)
DECIMALS = decimal.Context(prec=60)


class Unreadable(Exception):
    """A value whose text the suite does not understand."""


def canonical(v, t):
    if v is None:
        return None
    root = t.root
    if root == "BOOLEAN":
        if isinstance(v, str):
            return {"true": True, "false": False}[v]
        if not isinstance(v, bool):
            raise Unreadable("%r as BOOLEAN" % (v,))
        return v
    if root in ("TINYINT", "SMALLINT", "INT", "BIGINT"):
        if isinstance(v, float) or isinstance(v, bool):
            raise Unreadable("%r as %s" % (v, root))
        return int(v)
    if root in ("FLOAT", "DOUBLE"):
        return floating(v, root)
    if root == "DECIMAL":
        return decimal.Decimal(v if isinstance(v, (str, int, decimal.Decimal)) else repr(v)).normalize(DECIMALS) + 0
    if root == "CHAR":
        return v.rstrip(" ")
    if root in ("VARCHAR", "STRING"):
        if not isinstance(v, str):
            raise Unreadable("%r as %s" % (v, root))
        return v
    if root in ("BINARY", "VARBINARY", "BYTES"):
        return binary(v)
    if root == "DATE":
        return str(v)
    if root == "TIME":
        return clock(v)
    if root in ("TIMESTAMP", "TIMESTAMP_LTZ"):
        return moment(v)
    if root == "ARRAY":
        return tuple(canonical(x, t.args[0]) for x in parsed(v))
    if root in ("MAP", "MULTISET"):
        v = parsed(v)
        pairs = v.items() if isinstance(v, dict) else [pair(e) for e in v]
        return tuple(sorted(((canonical(k, t.key()), canonical(x, t.value())) for k, x in pairs), key=repr))
    if root == "ROW":
        v = parsed(v)
        if isinstance(v, dict):
            v = [v[name] for name, _ in t.fields]
        if len(v) != len(t.fields):
            raise Unreadable("%r as %s" % (v, t.sql()))
        return tuple(canonical(x, f) for x, (_, f) in zip(v, t.fields))
    raise Unreadable(root)


def parsed(v):
    return json.loads(v, parse_float=decimal.Decimal) if isinstance(v, str) else v


def pair(entry):
    return (entry["key"], entry["value"]) if isinstance(entry, dict) else entry


def floating(v, root):
    if isinstance(v, str):
        v = {"NaN": math.nan, "nan": math.nan, "Infinity": math.inf, "inf": math.inf, "-Infinity": -math.inf,
             "-inf": -math.inf}.get(v, v)
    v = float(v)
    if math.isnan(v):
        return "NaN"
    try:
        return struct.pack(">f", v).hex() if root == "FLOAT" else struct.pack(">d", v).hex()
    except OverflowError:
        raise Unreadable("%r as %s" % (v, root))


def binary(v):
    """Bytes as "0x..", as bare hexadecimal digits after "\\x", or as text with "\\x.." for what is not printable."""
    if v.startswith("0x"):
        return v.lower()
    out = bytearray()
    i = 0
    while i < len(v):
        if v.startswith("\\x", i):
            out.append(int(v[i + 2:i + 4], 16))
            i += 4
        else:
            out += v[i].encode()
            i += 1
    return "0x" + out.hex()


def clock(v):
    m = re.fullmatch(r"(\d\d):(\d\d):(\d\d)(?:\.(\d+))?", v)
    if not m:
        raise Unreadable("%r as TIME" % (v,))
    seconds = (int(m[1]) * 60 + int(m[2])) * 60 + int(m[3])
    return seconds * 10 ** 9 + int((m[4] or "0").ljust(9, "0"))


def moment(v):
    m = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d(?::?\d\d)?)?", v)
    if not m:
        raise Unreadable("%r as a timestamp" % (v,))
    t = datetime.datetime(*(int(x or 0) for x in m.groups()[:6]))
    shift = 0
    if m[8] and m[8] != "Z":
        sign = -1 if m[8][0] == "-" else 1
        shift = sign * (int(m[8][1:3]) * 60 + int(m[8][3:].strip(":") or 0)) * 60
    seconds = (t - EPOCH) // datetime.timedelta(seconds=1) - shift
    return seconds * 10 ** 9 + int((m[7] or "0").ljust(9, "0"))


def row(values, types):
    if len(values) != len(types):
        raise Unreadable("%d values for %d columns: %r" % (len(values), len(types), values))
    return tuple(canonical(v, t) for v, t in zip(values, types))


def multiset(rows, types):
    return collections.Counter(row(r, types) for r in rows)


def difference(expected, got, limit=4):
    """What two multisets do not share, as text; empty when they are equal."""
    missing, extra = expected - got, got - expected
    if not missing and not extra:
        return ""
    show = lambda c: "\n      ".join(repr(r)[:700] for r in list(c.elements())[:limit])
    return "%d missing:\n      %s\n    %d not expected:\n      %s" % (
        sum(missing.values()), show(missing), sum(extra.values()), show(extra))


def padded(v, t):
    """A value with CHAR at its full length, as SQL engines hand it to Apache Paimon."""
    if v is None:
        return None
    if t.root == "CHAR":
        return v.ljust(t.args[0])
    if t.root == "ARRAY":
        return [padded(x, t.args[0]) for x in v]
    if t.root == "MAP":
        return [[k, padded(x, t.value())] for k, x in v]
    if t.root == "ROW":
        return [padded(x, f) for x, (_, f) in zip(v, t.fields)]
    return v


def text_literal(s):
    return "'" + s.replace("'", "''") + "'"


def options(of):
    """What stands in the parentheses of WITH and SET."""
    return ", ".join("%s = %s" % (text_literal(k), text_literal(v)) for k, v in of.items())


def literal(v, t):
    """A value as SQL that DuckDB reads, whatever the dialect does with it; the insert casts it to the column's type."""
    if v is None:
        return "NULL"
    root = t.root
    if root == "BOOLEAN":
        return "true" if v else "false"
    if root == "BIGINT" and v == -2 ** 63:
        return "(-9223372036854775807 - 1)"
    if root in ("TINYINT", "SMALLINT", "INT", "BIGINT"):
        return str(v)
    if root in ("FLOAT", "DOUBLE"):
        name = {"FLOAT": "FLOAT", "DOUBLE": "DOUBLE"}[root]
        return "CAST('%s' AS %s)" % ("NaN" if math.isnan(v) else "Infinity" if v == math.inf else
                                     "-Infinity" if v == -math.inf else repr(v), name)
    if root == "DECIMAL":
        return "CAST('%s' AS DECIMAL(%d, %d))" % ((v,) + t.args)
    if root in ("CHAR", "VARCHAR", "STRING"):
        return text_literal(v)
    if root in ("BINARY", "VARBINARY", "BYTES"):
        return "unhex('%s')" % v[2:]
    if root == "DATE":
        return "DATE '%s'" % v
    if root == "TIME":
        return "TIME '%s'" % v
    if root == "TIMESTAMP":
        return "CAST('%s' AS TIMESTAMP_NS)" % v if t.args[0] > 6 else "CAST('%s' AS TIMESTAMP)" % v
    if root == "TIMESTAMP_LTZ":
        return "CAST('%s+00' AS TIMESTAMPTZ)" % v[:-1].replace("T", " ")
    if root == "ARRAY":
        return "[%s]" % ", ".join(literal(x, t.args[0]) for x in v)
    if root in ("MAP", "MULTISET"):
        return "MAP {%s}" % ", ".join("%s: %s" % (literal(k, t.key()), literal(x, t.value())) for k, x in v)
    if root == "ROW":
        return "{%s}" % ", ".join("'%s': %s" % (n, literal(x, f)) for x, (n, f) in zip(v, t.fields))
    raise ValueError(root)
