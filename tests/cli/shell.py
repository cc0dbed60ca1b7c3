"""The shell in a pseudo-terminal: what a user types and sees."""
import os
import pty
import re
import select
import signal
import time

from program import LONGEST, Failure, cpu_ticks, expect, wait_until

UP, TAB, CTRL_C, CTRL_D = "\x1b[A", "\t", "\x03", "\x04"
PROMPT, MORE = "mica> ", "   -> "
LONG = "SELECT count(*) FROM range(100000000000) a(i) WHERE md5(i::VARCHAR) = 'x';"


class Terminal:
    def __init__(self, mica, *arguments):
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.execve(mica.path, [mica.path, *mica.sql_arguments(*arguments)], mica.env)
        self.seen = ""

    def __enter__(self):
        self.wait_for(PROMPT)
        return self

    def __exit__(self, *_):
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(self.file)

    def type(self, text):
        os.write(self.file, text.encode())

    def wait_for(self, text):
        """Everything up to the next place where `text` appears; control sequences are left out."""
        end = time.monotonic() + LONGEST
        while text not in self.seen:
            if not select.select([self.file], [], [], max(0, end - time.monotonic()))[0]:
                raise Failure("%r does not appear, only %r" % (text, self.seen[-2000:]))
            try:
                got = os.read(self.file, 65536).decode(errors="replace")
            except OSError:
                raise Failure("the shell ended, %r did not appear, only %r" % (text, self.seen[-2000:]))
            self.seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", got)
        before, self.seen = self.seen.split(text, 1)
        return before

    def ask(self, line):
        """What the shell shows between a line and the next prompt."""
        self.type(line + "\n")
        self.wait_for("\n")
        return self.wait_for(PROMPT)

    def leave(self, keys):
        self.type(keys)
        end = time.monotonic() + LONGEST
        while True:
            expect(time.monotonic() < end, "the shell does not end")
            if not select.select([self.file], [], [], 2)[0]:
                self.type(keys)  # keys that came before the line editor was ready are lost
                continue
            try:
                if not os.read(self.file, 65536):
                    break
            except OSError:
                break
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status)


def test_shell_answers_and_leaves(mica):
    with Terminal(mica) as shell:
        answer = shell.ask("SELECT 41 + 1 AS answer;")
        expect("answer" in answer and "42" in answer, "no answer", answer)
        expect("nowhere" in shell.ask("SELECT * FROM nowhere;"), "no error is shown")
        expect("43" in shell.ask("SELECT 43 AS a;"), "the shell does not go on after an error")
        expect(shell.leave(".quit\n") == 0, "another exit code")
    with Terminal(mica) as shell:
        expect(shell.leave(CTRL_D) == 0, "another exit code")


def test_shell_takes_statements_of_several_lines(mica):
    with Terminal(mica) as shell:
        shell.type("SELECT 40\n")
        shell.wait_for(MORE)
        shell.type("  + 7 AS answer\n")
        shell.wait_for(MORE)
        answer = shell.ask(";")
        expect("47" in answer, "no answer", answer)


def test_shell_remembers_statements(mica):
    with Terminal(mica) as shell:
        shell.ask("SELECT 48 AS remembered;")
        expect("48" in shell.ask(UP), "the arrow key does not recall the last line")
        shell.leave(".quit\n")
    with Terminal(mica) as shell:
        shell.type(UP)
        expect("48" in shell.ask(UP), "the next shell does not know the line")


def test_shell_completes_names(mica):
    mica.sql("-c", "CREATE TABLE customers_of_old (id INT)").expect(0)
    with Terminal(mica) as shell:
        shell.type("SELECT * FROM custom" + TAB)
        shell.wait_for("ers_of_old")  # the editor shows only what it adds
        answer = shell.ask(";")
        expect("Error" not in answer, "the completed statement fails", answer)


def test_shell_times_statements(mica):
    with Terminal(mica) as shell:
        expect("Time:" not in shell.ask("SELECT 1;"), "the time is shown unasked")
        shell.ask(".timer on")
        expect(re.search(r"Time: \d+\.\d+ s", shell.ask("SELECT 1;")), "no time is shown")
        shell.ask(".timer off")
        expect("Time:" not in shell.ask("SELECT 1;"), "the time is still shown")


def test_shell_stops_a_statement_and_stays(mica):
    with Terminal(mica) as shell:
        shell.type(LONG + "\n")
        used = cpu_ticks(shell.pid)
        wait_until(lambda: cpu_ticks(shell.pid) > used + 30, "the statement runs")
        shell.type(CTRL_C)
        answer = shell.wait_for(PROMPT)
        expect("Error" in answer and ("nterrupt" in answer or "ancel" in answer), "no word of the interruption", answer)
        expect("49" in shell.ask("SELECT 49 AS a;"), "the shell does not go on")


def test_shell_drops_a_line(mica):
    with Terminal(mica) as shell:
        shell.type("SELECT 1\n")
        shell.wait_for(MORE)
        shell.type("FROM nowhe" + CTRL_C)
        shell.wait_for(PROMPT)
        expect("50" in shell.ask("SELECT 50 AS a;"), "what was typed before is still there")


def test_shell_shows_progress_of_long_work(mica):
    mica.sql("-c", "CREATE TABLE t (i BIGINT)", "-c", "INSERT INTO t SELECT i FROM range(2000000) r(i)").expect(0)
    with Terminal(mica, "--threads", "1") as shell:
        shell.type("SELECT count(*) FROM t WHERE md5(repeat(i::VARCHAR, 3000)) = 'x';\n")
        shell.wait_for("] ")
        shell.wait_for(" %")
        shell.type(CTRL_C)
        shell.wait_for(PROMPT)
