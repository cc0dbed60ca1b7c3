"""Stands between a client and a Hive metastore and breaks the connection at one call, before the server got it or after it
has answered, so that the client cannot know. Otherwise it says how long the server took."""
import select
import socket
import threading
import time


class Proxy:
    def __init__(self, port):
        self.server_port = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.uri = "thrift://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.lock = threading.Lock()
        self.arm(None)
        threading.Thread(target=self.accept, daemon=True).start()

    def arm(self, at, after=False, lasting=False):
        """Breaks call `at`, counted from now on; `lasting`: and every later one."""
        self.at, self.after, self.lasting, self.calls = at, after, lasting, 0
        self.spans = []  # when each call came and was answered, in seconds

    def waited(self):
        """How long, since arm(), at least one call was waiting for the server."""
        total = end = 0
        for begun, answered in sorted(self.spans):
            total += max(0, answered - max(begun, end))
            end = max(end, answered)
        return total

    def close(self):
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def is_broken(self):
        """Of the call that begins."""
        with self.lock:
            n, self.calls = self.calls, self.calls + 1
            return self.at is not None and (n == self.at or self.lasting and n > self.at)

    def serve(self, client):
        """Calls follow each other: what comes after an answer begins the next one."""
        with client, socket.create_connection(("127.0.0.1", self.server_port)) as server:
            sockets = {client: server, server: client}
            asked = broken = False
            for s in sockets:
                s.setblocking(False)
            while True:
                for ready in select.select(list(sockets), [], [])[0]:
                    data = ready.recv(1 << 16)
                    if not data:
                        return
                    if ready is client:
                        if not asked:
                            broken = self.is_broken()
                            begun = time.monotonic()
                        asked = True
                        if broken and not self.after:
                            return
                    else:
                        if asked:
                            span = [begun, 0]
                            self.spans.append(span)
                        span[1] = time.monotonic()
                        asked = False
                        if broken:
                            return
                    sockets[ready].setblocking(True)
                    sockets[ready].sendall(data)
                    sockets[ready].setblocking(False)
