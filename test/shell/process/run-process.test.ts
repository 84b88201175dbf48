// The process of a command: what is read of it, whenever this process gets to it.

import { expect, test } from "vitest";
import { runProcess } from "../../../src/shell/process/run-process.js";
import { pause } from "../../programs.js";
import { folder } from "../sandboxes.js";

test("the output of a command that ends before its sandbox says who leads it is kept", async () => {
  // One write: the group may be ended as soon as its leader is known.
  const late = `(${pause(0.2)}; echo '{"child-pid": '$$', "exit-code": 0}' >&3) >/dev/null 2>&1 &`;
  let output = "";
  const command = {
    command: "",
    folder: folder(),
    environment: { PATH: process.env["PATH"] ?? "" },
    seconds: 15,
    onOutput: (chunk: Uint8Array) => void (output += Buffer.from(chunk).toString()),
  };
  const launch = { program: "/bin/sh", args: ["-c", `echo out; ${late}`], reports: "status", emptyInputs: 0 } as const;
  expect(await runProcess(launch, command, new AbortController().signal)).toEqual({ how: "exited", code: 0 });
  expect(output).toBe("out\n");
});
