// A session for each user: kept apart, one answer for words that came together, and continued after kill -9.

import { expect, test } from "vitest";
import { call, scriptedProvider, type ScriptedProvider } from "../../src/testing/index.js";
import { projectWith, type Project } from "./example.js";

/** A model that writes what it is told to add, and says how long the list is. */
const model = (): Promise<ScriptedProvider> =>
  scriptedProvider(({ lastText }) => {
    if (lastText.startsWith("add ")) return { calls: [call("add_todo", { what: lastText.slice(4) })], delay: 50 };
    if (lastText.startsWith("[")) return `On your list: ${lastText}`;
    return `You said: ${lastText}`;
  });

async function start(project: Project, provider: ScriptedProvider) {
  const server = project.start(["0"], provider);
  await server.seen("http://");
  const url = server.stdout().trim();
  return {
    say: async (user: string, words: string) =>
      (await fetch(url, { method: "POST", body: JSON.stringify({ user, words }) })).text(),
    url,
    async [Symbol.asyncDispose]() {
      server.child.kill("SIGKILL");
      await server.ended;
    },
  };
}

/** The user's words in the last request. */
function wordsOf({ requests }: ScriptedProvider): readonly unknown[] {
  const messages = requests.at(-1)?.body.messages ?? [];
  return messages.flatMap(({ role, content }) => (role === "user" ? [content] : []));
}

test("two messages at once of one user are answered together, once, and another user sees neither", async () => {
  await using project = await projectWith("a-session-for-each-user");
  await using provider = await scriptedProvider(({ lastText }) => {
    if (lastText.startsWith("add ")) return { calls: [call("add_todo", { what: lastText.slice(4) })], delay: 500 };
    return `Last: ${lastText}`;
  });
  await using bot = await start(project, provider);
  const first = bot.say("ann@example.com", "add milk");
  await new Promise((resolve) => setTimeout(resolve, 200));
  const second = bot.say("ann@example.com", "add tea");
  expect(await bot.say("bob@example.com", "add nails")).toBe('Last: ["nails"]');
  expect(await Promise.all([first, second])).toEqual(['Last: ["milk","tea"]', ""]);
  expect(await bot.say("bob@example.com", "Hello.")).toBe("Last: Hello.");
  expect(wordsOf(provider).join()).not.toContain("tea");
});

test("after kill -9 the conversation of each user goes on", async () => {
  await using project = await projectWith("a-session-for-each-user");
  await using provider = await model();
  {
    await using bot = await start(project, provider);
    await bot.say("ann@example.com", "My cat is called Tom.");
  }
  await using bot = await start(project, provider);
  expect(await bot.say("ann@example.com", "Who is Tom?")).toBe("You said: Who is Tom?");
  expect(wordsOf(provider).join()).toContain("My cat is called Tom.");
});

test("what is no message is refused, and the server stays", async () => {
  await using project = await projectWith("a-session-for-each-user");
  await using provider = await model();
  await using bot = await start(project, provider);
  expect((await fetch(bot.url, { method: "POST", body: "{" })).status).toBe(400);
  expect(await bot.say("../etc", "x")).toContain("user");
  expect(await bot.say("ann@example.com", "Hello.")).toBe("You said: Hello.");
});
