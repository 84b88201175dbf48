// Parses the output of strace into the calls of each command.

/**
 * Splits a trace of `strace -f -y` into the calls of each child of the first process. A call is
 * `{ pid, name, args, result, isShell, program }`: `program` is the file that the calling process ran then, and `isShell` is
 * true until the process has started another program than the shell of the command.
 */
export function readTrace(text) {
  const calls = joinCalls(text);
  const driver = calls[0]?.pid;
  /** For each process, its state: the index of its command, the program it runs, and whether that is the shell. */
  const states = new Map();
  const runs = [];
  for (const { pid, name, args, result } of calls) {
    const child = /^(?:fork|vfork|clone3?)$/.test(name) ? /^(\d+)/.exec(result)?.[1] : undefined;
    if (pid === driver) {
      if (child !== undefined) states.set(child, { run: runs.push([]) - 1, program: undefined, isShell: true });
      continue;
    }
    const state = states.get(pid);
    if (state === undefined) continue;
    if (child !== undefined) {
      states.set(child, { ...state });
      continue;
    }
    const isStart = state.program === undefined;
    if (!isStart) runs[state.run].push({ pid, name, args, result, isShell: state.isShell, program: state.program });
    if (name.startsWith("execve") && result.startsWith("0"))
      states.set(pid, { ...state, program: stringsIn(args)[0] ?? "", isShell: isStart });
  }
  return runs;
}

/** The calls in the order in which they began. Those that strace wrote in two parts are put together. */
function joinCalls(text) {
  const calls = [];
  const open = new Map();
  for (const line of text.split("\n")) {
    const [, pid, rest] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    if (rest === undefined) continue;
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest)?.[1];
    if (resumed !== undefined) {
      const call = open.get(pid);
      if (call !== undefined) call.text += resumed;
      open.delete(pid);
      continue;
    }
    if (!/^\w+\(/.test(rest)) continue;
    const isOpen = rest.endsWith(" <unfinished ...>");
    const call = { pid, text: isOpen ? rest.slice(0, -" <unfinished ...>".length) : rest };
    calls.push(call);
    if (isOpen) open.set(pid, call);
  }
  return calls.map(({ pid, text: whole }) => {
    const end = whole.lastIndexOf(" = ");
    const name = whole.slice(0, whole.indexOf("("));
    const args = whole.slice(name.length + 1, end < 0 ? undefined : end).replace(/\)\s*$/, "");
    return { pid, name, args, result: end < 0 ? "?" : whole.slice(end + 3) };
  });
}

/** The quoted texts of a call, in order, decoded. */
export function stringsIn(args) {
  return [...args.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, text]) => decode(text));
}

/** Decodes the escapes of strace. The bytes are UTF-8. */
export function decode(text) {
  const named = { n: "\n", t: "\t", r: "\r", v: "\v", f: "\f", a: "\x07", b: "\b" };
  const bytes = text.replace(/\\(x[0-9a-f]{2}|[0-7]{1,3}|.)/gs, (_whole, code) => {
    if (/^x[0-9a-f]{2}$/.test(code)) return String.fromCharCode(parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return String.fromCharCode(parseInt(code, 8));
    return named[code] ?? code;
  });
  return Buffer.from(bytes, "latin1").toString("utf8");
}
