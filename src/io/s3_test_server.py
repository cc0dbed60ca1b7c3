"""An S3 server for tests on a free port of 127.0.0.1: moto, behind a small layer that can misbehave on purpose.

Prints its port when it listens, and ends when its standard input closes. Buckets: "mica-test" with 1,100 objects under
many/, and "other". A PUT to /_mode/<mode> decides how it behaves from then on:

  faithful        conditional puts hold against each other (moto alone checks and writes in two steps)
  ignore          conditional puts overwrite, as on a store that does not know them
  unimplemented   conditional puts answer 501
  lose-answer     the next conditional put is done, and its answer is lost
  lose-all        every answer is lost, whether the request was done or not
  lose-request    the next conditional put is lost before it is done
  busy            the next two requests answer 503
  conflict        the next conditional put answers 409
"""

import os
import socket
import sys
import threading

os.environ.setdefault("MOTO_ALLOW_NONEXISTENT_REGION", "true")

from moto.core import DEFAULT_ACCOUNT_ID
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from moto.s3.models import s3_backends
from werkzeug.serving import WSGIRequestHandler, make_server


class Lost(ConnectionError):
    """Ends the connection without an answer: werkzeug takes it for a client that went away."""


class Layer:
    def __init__(self, app):
        self.app = app
        self.lock = threading.Lock()
        self.mode = "faithful"
        self.left = 0

    def __call__(self, environ, start_response):
        path = environ["PATH_INFO"]
        if path.startswith("/_mode/"):
            with self.lock:
                self.mode = path[len("/_mode/"):]
                self.left = 2 if self.mode == "busy" else 1
            return self.answer(start_response, "200 OK")
        conditional = environ["REQUEST_METHOD"] == "PUT" and environ.get("HTTP_IF_NONE_MATCH") == "*"
        mode = self.take(conditional)
        if mode == "ignore" and conditional:
            del environ["HTTP_IF_NONE_MATCH"]
        if mode == "unimplemented" and conditional:
            return self.answer(start_response, "501 Not Implemented")
        if mode == "busy":
            return self.answer(start_response, "503 Slow Down")
        if mode == "conflict" and conditional:
            return self.answer(start_response, "409 Conflict")
        if mode == "lose-request" and conditional:
            raise Lost
        if conditional:
            with self.lock:
                body = list(self.app(environ, start_response))
        else:
            body = self.app(environ, start_response)
        if environ["REQUEST_METHOD"] == "POST":
            # moto names the root of this answer otherwise than AWS, whose name Arrow insists on. The length stays.
            body = [b.replace(b"<CompleteMultipartUploadResponse", b"<CompleteMultipartUploadResult")
                    .replace(b"</CompleteMultipartUploadResponse>", b"</CompleteMultipartUploadResult>" + b" " * 4)
                    for b in body]
        if mode == "lose-all" or (mode == "lose-answer" and conditional):
            raise Lost
        return body

    def take(self, conditional):
        """The mode for this request; those that count go back to faithful when they are used up."""
        with self.lock:
            if self.mode in ("busy", "conflict", "lose-answer", "lose-request"):
                if self.mode != "busy" and not conditional:
                    return "faithful"
                if self.left == 0:
                    self.mode = "faithful"
                self.left -= 1
            return self.mode

    @staticmethod
    def answer(start_response, status):
        start_response(status, [("Content-Type", "text/plain"), ("Content-Length", "0")])
        return [b""]


class Handler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *arguments):
        pass

    def connection_dropped(self, error, environ=None):
        self.close_connection = True


def main():
    app = Layer(DomainDispatcherApplication(create_backend_app))
    backend = s3_backends[DEFAULT_ACCOUNT_ID]["aws"]
    backend.create_bucket("mica-test", "us-east-1")
    backend.create_bucket("other", "us-east-1")
    for i in range(1100):
        backend.put_object("mica-test", f"many/file-{i:04}", b"x")
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Handler)
    print(server.socket.getsockname()[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
