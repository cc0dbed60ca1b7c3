"""Runs `mica` for a test: whole runs with their output, and processes that are talked to while they run."""
import os
import signal
import subprocess
import time

LONGEST = 120  # seconds that anything may take before a test gives up


class Failure(AssertionError):
    pass


def expect(condition, text, *values):
    if not condition:
        raise Failure(text + "".join("\n  %r" % (v,) for v in values))


def wait_until(condition, what):
    """Asks again and again; the condition is something that the program makes true by itself."""
    end = time.monotonic() + LONGEST
    while not condition():
        expect(time.monotonic() < end, "waited in vain until " + what)
        time.sleep(0.02)


def cpu_ticks(pid):
    """How long a process has computed, in hundredths of a second."""
    fields = open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


class Done:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def expect(self, code, out=None):
        expect(self.code == code, "exit code %d expected, not %d" % (code, self.code), self.out, self.err)
        if out is not None:
            expect(self.out == out, "other output expected", out, self.out, self.err)
        return self


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.warehouse = folder / "warehouse"
        # No settings and no history of whoever runs the tests.
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("MICA_")}
        self.env.update(HOME=str(folder), TERM="xterm", LC_ALL="C.UTF-8")

    def run(self, *arguments, stdin="", **env):
        done = subprocess.run([self.path, *arguments], input=stdin, capture_output=True, text=True, timeout=LONGEST,
                              env={**self.env, **env})
        return Done(done.returncode, done.stdout, done.stderr)

    def sql_arguments(self, *arguments):
        return ["sql", "--warehouse", str(self.warehouse), *arguments]

    def sql(self, *arguments, stdin="", **env):
        return self.run(*self.sql_arguments(*arguments), stdin=stdin, **env)

    def start(self, *arguments):
        return Running(self, arguments)


class Running:
    """A `mica sql` that reads statements from a pipe."""

    def __init__(self, program, arguments):
        self.process = subprocess.Popen([program.path, *program.sql_arguments(*arguments)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=program.env)

    def send(self, text):
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def read_until(self, line):
        """Reads lines of the output until one is `line`; the end of the output is a failure."""
        while True:
            got = self.process.stdout.readline()
            expect(got != "", "the output ended before the line %r" % line)
            if got.rstrip("\n") == line:
                return

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def finish(self):
        out, err = self.process.communicate(timeout=LONGEST)
        return Done(self.process.returncode, out, err)
