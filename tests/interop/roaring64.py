"""64-bit roaring bitmaps as Java's Roaring64Bitmap serialises them: a radix tree of 48-bit keys, then containers."""
import io
import struct


def one(upper, lower):
    """The bitmap of numbers with the same upper 48 bits; `lower` are their lower 16."""
    if not lower:
        return "0x00"
    lower = sorted(set(lower))
    leaf = b"\x04\0\0\0" + upper.to_bytes(6, "big") + struct.pack("<Q", 0)
    container = b"\x01\x02" + struct.pack("<I", len(lower)) + struct.pack("<%dH" % len(lower), *lower)
    body = struct.pack("<I", 1) + b"\xfe" + struct.pack("<I", 1) + container + struct.pack("<Qii", 1, 0, 0)
    return "0x" + (b"\x01" + struct.pack("<Q", 1) + leaf + body).hex()


def numbers(text):
    """What a bitmap holds, sorted: equal sets may have different bytes."""
    data = io.BytesIO(bytes.fromhex(text[2:]))
    take = lambda form: struct.unpack("<" + form, data.read(struct.calcsize("<" + form)))[0]
    if take("B") == 0:
        return ()
    take("Q")
    leaves = {}

    def node():
        kind, count, prefix = take("B"), take("H"), take("B")
        data.read(prefix)
        if kind == 4:
            key = int.from_bytes(data.read(6), "big")
            leaves[take("Q")] = key
            return
        data.read([4, 16, 256, 32][kind])
        for _ in range(count):
            node()

    node()
    out = []
    for outer in range(take("I")):
        take("B")
        for inner in range(take("I")):
            if take("B") == 0:
                continue
            kind, size = take("B"), take("I")
            if kind == 0:
                low = [v for first, more in [(take("H"), take("H")) for _ in range(take("H"))]
                       for v in range(first, first + more + 1)]
            elif kind == 1:
                bits = int.from_bytes(data.read(8192), "little")
                low = [i for i in range(65536) if bits >> i & 1]
            else:
                low = [take("H") for _ in range(size)]
            out += [leaves[outer << 32 | inner] << 16 | v for v in low]
    return tuple(sorted(out))
