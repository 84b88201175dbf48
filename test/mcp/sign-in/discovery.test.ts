// Addresses that a server names: a server elsewhere sends no request to this machine or into a private network.

import { expect, test } from "vitest";
import { issuerFetch } from "../../../src/mcp/sign-in/discovery.js";

test.each([
  "https://localhost./x",
  "https://metadata.google.internal./x",
  "https://2130706433/x",
  "https://0x7f.1/x",
  "https://100.100.100.200/x",
  "https://198.18.0.1/x",
  "https://[::ffff:127.0.0.1]/x",
  "https://[::127.0.0.1]/x",
  "https://[64:ff9b::a9fe:a9fe]/x",
  "https://[2002:7f00:1::]/x",
  "https://[fec0::1]/x",
  "https://[fd00:ec2::254]/x",
])("a server elsewhere that names %s is not followed", async (address) => {
  await expect(issuerFetch(new URL("https://mcp.example/mcp"))(address)).rejects.toThrow(
    /in a private network|is this machine/,
  );
});

test("a server on this machine may name this machine, and nothing else without https", async () => {
  const named = issuerFetch(new URL("http://localhost:1/mcp"));
  await expect(named("http://127.0.0.1:1/x")).rejects.toThrow(/fetch failed|bad port/);
  await expect(named("http://10.0.0.1/x")).rejects.toThrow("is not https");
});
