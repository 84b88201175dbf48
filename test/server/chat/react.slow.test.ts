// A page in React with `useChat` of both versions: what a person sees and clicks, also after a reload.

import * as ai6 from "ai6";
import * as ai7 from "ai7";
import type { useChat as useChat7 } from "ai7-react";
import { Window } from "happy-dom";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { ChatUiMessage } from "../../../src/server/index.js";
import { call, type Script } from "../../../src/testing/index.js";
import { until, versions, type Version } from "./page.js";
import { done, messagesOf, serving } from "./served.js";

const browser = new Window({ url: "http://127.0.0.1/" });
const { document } = browser;
const names = ["window", "document", "navigator"] as const;
const before = names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
beforeAll(() => {
  for (const name of names) Object.defineProperty(globalThis, name, { value: browser[name], configurable: true });
});
afterAll(async () => {
  for (const [name, own] of before) {
    Reflect.deleteProperty(globalThis, name);
    if (own !== undefined) Object.defineProperty(globalThis, name, own);
  }
  await browser.happyDOM.close();
});

type UseChat = typeof useChat7;

/** Shows a chat as a page would: words, calls with their buttons, and a box for the next words. */
async function mount(version: Version, url: string, messages: readonly ChatUiMessage[]): Promise<() => Promise<void>> {
  const { createElement: h } = await import("react");
  const { createRoot } = await import("react-dom/client");
  const react = version === 6 ? await import("ai6-react") : await import("ai7-react");
  const useChat = react.useChat as unknown as UseChat;
  const ai = version === 6 ? (ai6 as unknown as typeof ai7) : ai7;
  const transport = new ai.DefaultChatTransport({ api: new URL("/chat", url).href });

  function Chat() {
    const chat = useChat({
      id: "c",
      messages: messages as never,
      resume: true,
      transport: transport,
      sendAutomaticallyWhen: (state) =>
        ai.lastAssistantMessageIsCompleteWithApprovalResponses(state) ||
        ai.lastAssistantMessageIsCompleteWithToolCalls(state),
    });
    const button = (label: string, onClick: () => unknown) => h("button", { key: label, onClick }, label);
    const shown = (chat.messages as unknown as readonly ChatUiMessage[]).flatMap(({ id, parts }) =>
      parts.flatMap((part, index) => {
        const key = `${id}-${String(index)}`;
        if (part.type === "text") return [h("p", { key }, String(part["text"]))];
        if (part.type !== "dynamic-tool") return [];
        const answer = part["approval"] as { id: string } | undefined;
        const toolCallId = String(part["toolCallId"]);
        return [
          h("pre", { key }, `${String(part["toolName"])} ${String(part["state"])}`),
          ...(part["state"] === "approval-requested" && answer !== undefined
            ? [button("Approve", () => chat.addToolApprovalResponse({ id: answer.id, approved: true }))]
            : []),
          ...(part["state"] === "input-available" && part["providerExecuted"] === false
            ? [button("Blue", () => chat.addToolOutput({ tool: "ask_question", toolCallId, output: "blue" }))]
            : []),
        ];
      }),
    );
    return h(
      "main",
      { className: chat.status },
      ...shown,
      button("Send", () => chat.sendMessage({ text: "Paint it" })),
    );
  }

  const place = document.createElement("div");
  document.body.append(place);
  const root = createRoot(place);
  root.render(h(Chat));
  return async () => {
    root.unmount();
    place.remove();
    // React has a last look at the window.
    await new Promise((resolve) => setTimeout(resolve, 20));
  };
}

const seen = (): readonly string[] =>
  [...document.querySelectorAll("p, pre")].map(({ textContent }) => textContent ?? "");
const isReady = (): boolean => document.querySelector("main")?.className === "ready";

async function click(label: string): Promise<void> {
  const find = () => [...document.querySelectorAll("button")].find(({ textContent }) => textContent === label);
  await until(() => isReady() && find() !== undefined, `the button ${label}`);
  find()!.click();
}

test.each(versions)("in version %i is asked, approves, is reloaded and shows the same", async (version) => {
  const script: Script = [
    [call("ask_question", { question: "Which colour?" })],
    { text: "Then I write it.", calls: [call("write", { text: "blue" })] },
    done,
  ];
  const served = await serving(script, { version });
  let unmount = await mount(version, served.url, []);
  onTestFinished(() => unmount());
  await click("Send");
  await click("Blue");
  await until(() => seen().includes("write approval-requested") && isReady(), "the approval");
  await unmount();
  unmount = await mount(version, served.url, await messagesOf(served.url));
  await click("Approve");
  await until(() => seen().includes("All is well.") && isReady(), "the end");
  const atEnd = [
    "Paint it",
    "ask_question output-available",
    "Then I write it.",
    "write output-available",
    "All is well.",
  ];
  expect([seen(), served.ran]).toEqual([atEnd, ["blue"]]);
  await unmount();
  unmount = await mount(version, served.url, await messagesOf(served.url));
  await until(() => seen().length > 0 && isReady(), "the page");
  expect(seen()).toEqual(atEnd);
});
