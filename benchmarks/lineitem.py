"""Makes the rows of the benchmarks, lineitem of TPC-H in shape, with nothing but SQL: four files in key order, the same
with a month column, and four batches of updates in random order."""
import json
import os
import subprocess

COLUMNS = ("l_orderkey,l_partkey,l_suppkey,l_linenumber,l_quantity,l_extendedprice,l_discount,l_tax,l_returnflag,"
           "l_linestatus,l_shipdate,l_commitdate,l_receiptdate,l_shipinstruct,l_shipmode,l_comment").split(",")
SUMS = ["l_quantity", "l_extendedprice", "l_discount"]
AGGREGATE = "select count(*), " + ", ".join(f"sum({c})" for c in SUMS) + " from "
MONTH = "1995-03"
FILES = 4
# Percent of the keys that each batch of updates changes.
UPDATES = [5.0, 6.7, 8.3, 10.0]

WORDS = ("the of above across after against along among are around at beside between beyond blithely bold boost cajole "
         "carefully deposits detect doubt dolphins engage even express final fluffily foxes furiously haggle ideas idle "
         "instructions integrate ironic nag packages pending pinto platelets quickly quiet regular requests ruthless "
         "silent slyly sleep special theodolites thin unusual use wake warhorses").split()


def list_of(words):
    return "[" + ", ".join(f"'{w}'" for w in words) + "]"


def lineitem_sql(scale):
    """Orders have one to seven lines; eight of 32 order keys are used; dates, prices and flags follow from each other."""
    orders, parts = int(1500000 * scale), max(int(200000 * scale), 1000)
    pick = lambda salt, n: f"(hash(o, n, {salt}) % {n})::bigint"
    word = lambda k: f"words[1 + {pick(100 + k, len(WORDS))}]"
    comment = " || ' ' || ".join(word(k) for k in range(7))
    return f"""
      with orders as (select (i // 8) * 32 + i % 8 + 1 as o, date '1992-01-01' + (hash(i, 1) % 2406)::int as ordered,
                             {list_of(WORDS)} as words, (hash(i, 2) % 7)::int + 1 as lines from range({orders}) t(i)),
      numbered as (select o, ordered, words, unnest(range(1, lines + 1)) as n from orders),
      drawn as (select *, 1 + {pick(3, parts)} as part, 1 + {pick(4, 50)} as quantity,
                       ordered + (1 + {pick(5, 121)})::int as shipped from numbered)
      select o as l_orderkey, part as l_partkey, 1 + {pick(6, max(parts // 20, 10))} as l_suppkey, n::int as l_linenumber,
        quantity::decimal(15,2) as l_quantity,
        (quantity * (90000 + (part // 10) % 20001 + 100 * (part % 1000)) / 100.0)::decimal(15,2) as l_extendedprice,
        ({pick(7, 11)} / 100.0)::decimal(15,2) as l_discount, ({pick(8, 9)} / 100.0)::decimal(15,2) as l_tax,
        case when shipped + (1 + {pick(9, 30)})::int > date '1995-06-17' then 'N'
             when {pick(10, 2)} = 0 then 'R' else 'A' end as l_returnflag,
        case when shipped > date '1995-06-17' then 'O' else 'F' end as l_linestatus,
        shipped as l_shipdate, ordered + (30 + {pick(11, 61)})::int as l_commitdate,
        shipped + (1 + {pick(9, 30)})::int as l_receiptdate,
        {list_of(['DELIVER IN PERSON', 'COLLECT COD', 'NONE', 'TAKE BACK RETURN'])}[1 + {pick(12, 4)}] as l_shipinstruct,
        {list_of(['REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB'])}[1 + {pick(13, 7)}] as l_shipmode,
        substr({comment}, 1, 10 + {pick(14, 34)}) as l_comment
      from drawn"""


def read(files):
    return "read_parquet([" + ", ".join(f"'{f}'" for f in files) + "])"


def sources(data, name, count=FILES, first=0):
    return [f"{data}/source/{name}-{i}.parquet" for i in range(first, first + count)]


def make(data, scale, duckdb_peer):
    """Writes the files, once, and returns what queries must answer."""
    answers = data + "/answers.json"
    if os.path.exists(answers):
        return json.load(open(answers))
    os.makedirs(data + "/source", exist_ok=True)

    def run(*sql):
        out = subprocess.run([duckdb_peer, *sql], check=True, stdout=subprocess.PIPE, text=True).stdout
        return [line.split()[1:] for line in out.splitlines() if line.startswith("RESULT")]

    whole = f"{data}/source/all.parquet"
    run(f"copy ({lineitem_sql(scale)} order by o, n) to '{whole}' (compression snappy)")
    top = int(run(f"select max(l_orderkey) from '{whole}'")[0][0])
    for i in range(FILES):
        low, high = top * i // FILES, top * (i + 1) // FILES
        for name, extra in (("lineitem", ""), ("monthly", ", strftime(l_shipdate, '%Y-%m') as ship_month")):
            run(f"copy (select *{extra} from '{whole}' where l_orderkey > {low} and l_orderkey <= {high} "
                f"order by l_orderkey, l_linenumber) to '{data}/source/{name}-{i}.parquet' (compression snappy)")
    for b, percent in enumerate(UPDATES, 1):
        run(f"""copy (select * replace ((l_quantity + {b})::decimal(15,2) as l_quantity,
                                        (l_extendedprice + {b * 100})::decimal(15,2) as l_extendedprice,
                                        'u{b} ' || l_comment as l_comment)
                from '{whole}' where hash(l_orderkey, l_linenumber, {b}) % 1000 < {int(percent * 10)}
                order by hash(l_linenumber, l_orderkey, {b})) to '{data}/source/update-{b}.parquet' (compression snappy)""")
    versions = f"select *, 0 as b from '{whole}' " + " ".join(
        f"union all by name select *, {b} as b from '{data}/source/update-{b}.parquet'" for b in range(1, len(UPDATES) + 1))
    newest = ", ".join(f"arg_max({c}, b) as {c}" for c in SUMS)
    low, high = top // 2, top // 2 + top // 1000
    result = dict(
        range=[low, high],
        key=run(f"select l_orderkey, l_linenumber from '{whole}' where l_orderkey >= {low} order by all limit 1")[0],
        all=run(AGGREGATE + f"'{whole}'")[0],
        month=run(AGGREGATE + f"'{whole}' where strftime(l_shipdate, '%Y-%m') = '{MONTH}'")[0],
        some=run(AGGREGATE + f"'{whole}' where l_orderkey >= {low} and l_orderkey < {high}")[0],
        merged=run(AGGREGATE + f"(select l_orderkey, l_linenumber, {newest} from ({versions}) group by all)")[0])
    os.remove(whole)
    json.dump(result, open(answers, "w"))
    return result
