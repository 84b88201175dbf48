import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { serverVariables, startServer } from "../../../src/mcp/connect/server-process.js";
import { isAlive, listed, plainCommand } from "../plain-server.js";
import { built } from "../../dist.js";

async function dies(pid: number, within = 10_000): Promise<boolean> {
  for (let waited = 0; waited < within; waited += 20) {
    if (!isAlive(pid)) return true;
    await sleep(20);
  }
  return false;
}

/** A process that has the plain server, whose id it prints before it does the rest. */
function owner(rest: string): ReturnType<typeof spawn> {
  const command = { name: "plain", ...plainCommand({ tools: [listed("pid")], staysAlive: true }) };
  const script = `
    import { mcpTools } from "${built("mcp")}";
    const server = await mcpTools(${JSON.stringify(command)});
    const running = server.tools[0].run({}, { signal: new AbortController().signal });
    console.log((await running.next()).value);
    ${rest}`;
  return spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
}

async function serverOf(child: ReturnType<typeof spawn>): Promise<number> {
  const [bytes] = (await once(child.stdout!, "data")) as [Buffer];
  return Number(bytes.toString());
}

describe("a server's process", () => {
  it("ends when the process that has it is killed with kill -9, even if it ignores the end of its input", async () => {
    const child = owner("setInterval(String, 1000);");
    const pid = await serverOf(child);
    expect(isAlive(pid)).toBe(true);
    child.kill("SIGKILL");
    expect(await dies(pid)).toBe(true);
  });

  it("does not keep the process that has it alive, and ends with it", async () => {
    const child = owner("");
    const exited = once(child, "exit");
    const pid = await serverOf(child);
    expect(await exited).toEqual([0, null]);
    expect(await dies(pid)).toBe(true);
  });

  it("ends with all that it started", async () => {
    const script = `const { spawn } = require("node:child_process");
      const child = spawn(process.execPath, ["-e", "setInterval(String, 1000)"]);
      console.log(child.pid);`;
    let output = "";
    const ended: string[] = [];
    const server = await startServer(
      { command: process.execPath, args: ["-e", script], env: {}, cwd: undefined },
      { output: (bytes) => (output += bytes.toString()), ended: (how) => ended.push(how) },
    );
    while (!output.includes("\n")) await sleep(10);
    const grandchild = Number(output);
    expect(isAlive(grandchild)).toBe(true);
    await server.close();
    expect(ended.length).toBe(1);
    expect(await dies(grandchild)).toBe(true);
    await expect(server.write("x\n")).rejects.toThrow("the server has ended");
  });

  it("that ends by itself takes all that it started along", async () => {
    const script = `const { spawn } = require("node:child_process");
      const child = spawn(process.execPath, ["-e", "setInterval(String, 1000)"], { stdio: "ignore" });
      process.stdout.write(child.pid + "\\n", () => process.exit(0));`;
    let output = "";
    await new Promise<string>((ended) => {
      const receivers = { output: (bytes: Buffer) => (output += bytes.toString()), ended };
      void startServer({ command: process.execPath, args: ["-e", script], env: {}, cwd: undefined }, receivers);
    });
    expect(Number(output)).toBeGreaterThan(0);
    expect(await dies(Number(output))).toBe(true);
  });

  it("tells its end once, with the end of its errors, however much it writes there", async () => {
    const script = `process.stderr.write("x".repeat(1_000_000) + "the end", () => process.exit(4));`;
    const how = await new Promise<string>((tell) => {
      void startServer(
        { command: process.execPath, args: ["-e", script], env: {}, cwd: undefined },
        { output: () => undefined, ended: tell },
      );
    });
    expect(how).toMatch(/^it ended with the code 4\. The end of its error output:\nx+the end$/);
    expect(how.length).toBeLessThan(4100);
  });

  it("gets the plain variables, and those that are given", () => {
    process.env["LC_MCP"] = "de";
    process.env["MCP_TOKEN"] = "secret";
    const variables = serverVariables({ GIVEN: "1", PATH: "/mine" });
    delete process.env["LC_MCP"];
    delete process.env["MCP_TOKEN"];
    expect(variables).toMatchObject({ GIVEN: "1", PATH: "/mine", LC_MCP: "de" });
    expect(variables).not.toHaveProperty("MCP_TOKEN");
  });
});
