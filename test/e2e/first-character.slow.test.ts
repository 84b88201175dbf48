// From the socket to the terminal: a character of a claim is on stdout before the server sends the next one.

import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { frameServer, type Manner } from "./frame-server.js";

/** A small program on lastcall: a turn of a conversation, its words on stdout. */
const program = `
  import { createAgent } from "lastcall";
  import { openai } from "lastcall/model";
  import { converse } from "lastcall/tools";
  const model = openai({ model: "m", steady: false, ...JSON.parse(process.argv[1]) });
  const agent = createAgent({ model, tools: [converse()] });
  for await (const event of agent.stream("Hello")) if (event.type === "text-delta") process.stdout.write(event.text);
`;

const options: Readonly<Record<Manner, object>> = {
  "function calls": { forcing: "required" },
  XML: { forcing: "xml" },
  "function calls, over Responses": { forcing: "required", api: "responses" },
};

const message = 'Hi 👋\n"Is a < b && b > c?" C:\\é – "no]".';

test.each(Object.keys(options) as readonly Manner[])(
  "each character of a message in %s is on stdout before the next one is sent",
  async (manner) => {
    let stdout = "";
    let look = (): void => undefined;
    const seen = (text: string): Promise<void> =>
      new Promise((resolve, reject) => {
        look = () => {
          if (stdout === text) resolve();
          else if (!text.startsWith(stdout)) reject(new Error(`stdout is ${stdout} where it should be ${text}`));
        };
        look();
      });
    await using server = await frameServer(manner, message, seen);
    const given = JSON.stringify({ ...options[manner], baseURL: server.url });
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program, given], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { PATH: process.env["PATH"] },
    });
    try {
      child.stdout.setEncoding("utf8").on("data", (piece: string) => {
        stdout += piece;
        look();
      });
      const ended = new Promise((resolve) => child.once("close", resolve));
      expect(await Promise.race([ended, server.failed])).toBe(0);
      expect(stdout).toBe(message);
    } finally {
      child.kill("SIGKILL");
    }
  },
);
