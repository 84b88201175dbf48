"""A small OpenAI-compatible server over the engine of needle: chat completions, whole or streamed, one conversation at a time.

The engine keeps the conversation itself and takes the next text alone. A request that goes on with the last conversation gives it the new
messages; any other request begins a new conversation. The engine has no text to write: a reply without calls carries its reasoning.
It withholds calls that it is not sure of. `tool_choice: "required"` passes these on, and `auto` does not.
"""

import argparse
import ctypes
import json
import os
import time
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer

# The engine counts its uses over the network unless it is told not to. It reads these when it is loaded.
os.environ["NEEDLE_TELEMETRY"] = "0"
os.environ["DO_NOT_TRACK"] = "1"


class Engine:
    def __init__(self, library, weights):
        self.lib = ctypes.CDLL(library)
        self.lib.needle_init.argtypes = [ctypes.c_char_p] * 3
        self.lib.needle_complete.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_int]
        self.lib.needle_load.argtypes = [ctypes.c_char_p, ctypes.c_uint64]
        self.lib.needle_reset.restype = None
        with open(weights, "rb") as file:
            self.weights = file.read()
        if self.lib.needle_load(self.weights, len(self.weights)) < 0:
            raise RuntimeError("the engine does not take the weights")
        self.tools, self.seen, self.prefix = None, [], 0
        self.buffer = ctypes.create_string_buffer(1 << 18)

    def complete(self, messages, tools, most):
        """Returns the engine's answer to the messages as a dict."""
        tools_json = json.dumps(tools)
        messages = [message for message in messages if message["role"] != "system"]
        goes_on = self.tools == tools_json and len(self.seen) > 0 and messages[: len(self.seen)] == self.seen
        if self.tools != tools_json:
            self.prefix = self.lib.needle_init(b"", tools_json.encode(), None)
            if self.prefix < 0:
                self.tools, self.seen = None, []
                raise RuntimeError(f"the engine does not take the tools ({self.prefix})")
            self.tools = tools_json
        elif not goes_on:
            self.lib.needle_reset()
        new = messages[len(self.seen):] if goes_on else messages
        self.seen = messages
        written = self.lib.needle_complete(text_of(new).encode(), most, self.buffer, len(self.buffer))
        if written < 0:
            self.seen = []
            raise RuntimeError(self.buffer.value.decode("utf-8", "replace") or f"the engine failed ({written})")
        return {**json.loads(self.buffer.value.decode("utf-8")), "written": written}


def text_of(messages):
    """The text for the engine: words as they are, results as a list of JSON. Its own earlier replies it knows or has to do without."""
    parts, results = [], []
    for message in messages:
        if message["role"] == "tool":
            results.append({"result": message["content"]})
        elif message["role"] == "user":
            content = message["content"]
            parts.append(content if isinstance(content, str) else "".join(part.get("text", "") for part in content))
    return "\n".join([*([json.dumps(results)] if results else []), *parts])


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.whole(200, {"status": "ok"})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        try:
            tools = [tool["function"] for tool in request.get("tools", [])]
            most = int(request.get("max_tokens") or 256)
            answer = self.server.engine.complete(request["messages"], tools, most)
        except (RuntimeError, KeyError, TypeError, ValueError) as thrown:
            return self.whole(400, {"error": {"message": str(thrown), "type": "invalid_request_error"}})
        calls = answer.get("function_calls") or []
        if request.get("tool_choice") == "required":
            calls = calls or answer.get("suppressed_calls") or []
        head = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": "needle"}
        usage = {"prompt_tokens": self.server.engine.prefix, "completion_tokens": answer["written"]}
        usage["total_tokens"] = sum(usage.values())
        message = {"role": "assistant", "content": None if calls else answer.get("reasoning") or ""}
        if calls:
            message["tool_calls"] = [call_of(call) for call in calls]
        finish = "tool_calls" if calls else "stop"
        if not request.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": finish}
            return self.whole(200, {**head, "object": "chat.completion", "choices": [choice], "usage": usage})
        self.stream({**head, "object": "chat.completion.chunk"}, pieces_of(message, finish), usage)

    def whole(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, head, pieces, usage):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        chunks = [{**head, "choices": [{"index": 0, **piece}]} for piece in pieces]
        for chunk in [*chunks, {**head, "choices": [], "usage": usage}]:
            self.chunk(f"data: {json.dumps(chunk)}\n\n")
        self.chunk("data: [DONE]\n\n")
        self.chunk("")

    def chunk(self, text):
        data = text.encode()
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()


def call_of(call):
    called = {"name": call.get("name", ""), "arguments": json.dumps(call.get("arguments", {}))}
    return {"id": f"call_{uuid.uuid4().hex[:12]}", "type": "function", "function": called}


def pieces_of(message, finish):
    """The reply in pieces: words by words, and the arguments of calls in pieces of eight characters."""
    yield {"delta": {"role": "assistant", "content": message["content"]}, "finish_reason": None}
    for index, call in enumerate(message.get("tool_calls", [])):
        name = {"name": call["function"]["name"], "arguments": ""}
        yield {"delta": {"tool_calls": [{"index": index, **call, "function": name}]}, "finish_reason": None}
        written = call["function"]["arguments"]
        for at in range(0, len(written), 8):
            piece = {"index": index, "function": {"arguments": written[at : at + 8]}}
            yield {"delta": {"tool_calls": [piece]}, "finish_reason": None}
    yield {"delta": {}, "finish_reason": finish}


def main():
    parser = argparse.ArgumentParser()
    for name in ("library", "weights", "host"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--port", type=int, required=True)
    args = parser.parse_args()
    server = HTTPServer((args.host, args.port), Handler)
    server.engine = Engine(args.library, args.weights)
    server.serve_forever()


main()
