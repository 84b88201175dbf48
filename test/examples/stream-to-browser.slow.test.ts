// Stream to a browser: the words as they come, taken back if they were wrong, and an end when the browser leaves.

import { expect, test } from "vitest";
import { call, scriptedProvider, type Script } from "../../src/testing/index.js";
import { projectWith } from "./example.js";

/** Serves the example, and gives its address to the work. */
async function serving(script: Script, work: (url: string, seen: (words: string) => Promise<void>) => Promise<void>) {
  await using project = await projectWith("stream-to-browser");
  await using provider = await scriptedProvider(script);
  const { child, ended, stdout, seen } = project.start(["0"], provider);
  try {
    await seen("http://");
    await work(stdout().trim(), seen);
  } finally {
    child.kill();
    await ended;
  }
}

/** The events of a whole stream. */
function eventsOf(text: string): readonly unknown[] {
  const lines = text.split("\n\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line.replace(/^data: /, "")) as unknown);
}

test("a browser gets the tool, the words as they are written, and the end", async () => {
  const says = { calls: [call("converse", { message: "It rains in Oslo." })], piece: 8, pause: 5 };
  await serving([[call("weather", { city: "Oslo" })], says], async (url) => {
    expect(await (await fetch(url)).text()).toContain("new EventSource");
    const response = await fetch(`${url}/stream?words=Weather%3F`);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const events = eventsOf(await response.text());
    expect(events[0]).toEqual({ work: "weather" });
    expect(events.at(-1)).toEqual({ end: "waiting" });
    const words = events.slice(1, -1) as readonly { readonly say: string }[];
    expect(words.length).toBeGreaterThan(1);
    expect(words.map(({ say }) => say).join("")).toBe("It rains in Oslo.");
  });
});

test("words of a reply that broke off are taken back, and said again", async () => {
  const reply = { text: "It rains.", piece: 5, pause: 20 };
  await serving([{ ...reply, cut: "reset" }, reply], async (url) => {
    const events = eventsOf(await (await fetch(`${url}/stream`)).text());
    const again = events.findIndex((event) => "takeBack" in (event as object));
    expect(again).toBeGreaterThan(0);
    expect(
      events
        .slice(again + 1, -1)
        .map((event) => (event as { readonly say: string }).say)
        .join(""),
    ).toBe("It rains.");
  });
});

test("a browser that leaves ends the run", async () => {
  await serving([{ text: "It rains in Oslo, and in Bergen too.", piece: 2, pause: 200 }], async (url, seen) => {
    const left = new AbortController();
    const response = await fetch(`${url}/stream`, { signal: left.signal });
    await response.body?.getReader().read();
    left.abort();
    await seen("the browser left");
  });
});
