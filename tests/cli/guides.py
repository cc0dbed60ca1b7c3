"""The guides: what they show is run as it stands there."""
import pathlib
import re
import subprocess

from program import expect

GUIDES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guides"


def run_guide(mica, name, databases, least, replaced=()):
    """Runs what a guide shows in its order: SQL in one session, then commands in a shell with $SOURCE and $TARGET."""
    text = (GUIDES / (name + ".md")).read_text()
    for old, new in replaced:
        expect(old in text, "the guide does not name it any more", old)
        text = text.replace(old, new)
    blocks = re.findall(r"```sql\n(.*?)```", text, re.S)
    expect(len(blocks) >= least, "too few blocks", blocks)
    script = mica.folder / "guide.sql"
    script.write_text("".join("CREATE DATABASE %s;\n" % d for d in databases) + "\n".join(blocks))
    mica.sql("-f", str(script)).expect(0)
    programs = mica.folder / "bin"
    programs.mkdir()
    (programs / "mica").symlink_to(mica.path)
    for block in re.findall(r"```\n(mica .*?)```", text, re.S):
        done = subprocess.run(["bash", "-e", "-c", block], capture_output=True, text=True, env={
            **mica.env, "PATH": "%s:%s" % (programs, mica.env["PATH"]), "SOURCE": str(mica.warehouse),
            "TARGET": str(mica.folder / "target")})
        expect(done.returncode == 0, "a command of the guide fails", block, done.stdout, done.stderr)


def test_the_commands_of_the_guide_to_history_run(mica):
    blocks = re.findall(r"```sql\n(.*?)```", (GUIDES / "history.md").read_text(), re.S)
    expect(len(blocks) > 8, "too few blocks", blocks)
    script = mica.folder / "guide.sql"
    script.write_text("CREATE DATABASE shop;\n" + "\n".join(blocks))
    mica.sql("-f", str(script)).expect(0)


def test_the_commands_of_the_guide_to_clones_run(mica):
    run_guide(mica, "clone", ["sales"], 4)
    target = ["sql", "--warehouse", str(mica.folder / "target"), "--format", "csv", "-c"]
    mica.run(*target, "SELECT count(*) AS n FROM analytics.orders_copy").expect(0, "n\n3\n")
    mica.run(*target, "SELECT count(*) AS n FROM sales.orders").expect(0, "n\n3\n")
    compared = re.findall(r"\n(\(SELECT.*?);", (GUIDES / "clone.md").read_text(), re.S)
    expect(len(compared) == 1, "the comparison is not found")
    mica.sql("--format", "jsonl", "-c", compared[0]).expect(0, "")


def test_the_commands_of_the_guide_to_imports_run(mica):
    folder = mica.folder / "export"
    folder.mkdir()
    mica.sql("-c", "COPY (SELECT 1::BIGINT AS id, 'home' AS page UNION ALL SELECT 2, 'cart') TO '%s/one.parquet'" % folder).expect(0)
    run_guide(mica, "import-files", [], 1, [("/data/export/2026-10-08", str(folder))])
    mica.sql("--format", "csv", "-c", "SELECT * FROM visits ORDER BY id").expect(
        0, "id,page,dt\n1,home,2026-10-08\n2,cart,2026-10-08\n")
