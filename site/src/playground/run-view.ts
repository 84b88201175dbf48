// The run as its events tell it: a block for each iteration, with its request, its calls and what became of them.

import type { Event } from "lastcall";
import { CallView } from "./call-view.js";
import { count, el } from "./elements.js";

type Take<Type extends Event["type"]> = Extract<Event, { readonly type: Type }>;

/** The failures in a row that open the circuit, unless the agent says otherwise. */
const circuitOpensAt = 5;

/** Shows the prompt of a request. */
export type ShowPrompt = (key: string) => void;

/** Draws the events of a run, and of the agents below it. */
export class RunView {
  readonly element: HTMLElement = el("div", "pg-run");
  readonly #calls = new Map<string, CallView>();
  readonly #showPrompt: ShowPrompt;
  #body: HTMLElement = this.element;
  #state: HTMLElement | undefined;
  #words: HTMLElement | undefined;
  /** The call whose claim is checked. */
  #checked: CallView | undefined;
  #speaker = "";

  constructor(showPrompt: ShowPrompt) {
    this.#showPrompt = showPrompt;
  }

  /** A line across the run: a worker began, ended or was killed. */
  divide(text: string, tone: string): void {
    this.#body = this.element;
    this.element.append(el("p", `pg-divide pg-${tone}`, el("span", "", text)));
  }

  /** The worker is gone: everything that was under way is lost with it. */
  lose(): void {
    if (this.#state !== undefined) this.#say("lost with the worker");
    this.#state = undefined;
    for (const call of this.#calls.values()) call.lose();
  }

  take(event: Event): void {
    switch (event.type) {
      case "run-start":
        if (event.resumed !== true && event.input !== "") this.element.append(this.#line("task", event.input));
        return;
      case "iteration-start":
        this.#begin(event.iteration);
        return;
      case "request-start":
        this.#ask(event);
        return;
      case "text-delta":
        if (event.tool === undefined) this.#write(event.text);
        return;
      case "call-delta":
        this.#say(`writes ${event.name}`);
        return;
      case "reply-retracted":
        this.#words?.remove();
        this.#words = undefined;
        this.#note("reply", `taken back: ${event.reason}`);
        return;
      case "reply-end":
        this.#say("");
        this.#state = undefined;
        return;
      case "call-start":
        this.#call(event);
        return;
      case "child-event":
        this.#below(event);
        return;
      case "claim-accepted":
        [...this.#calls.values()].findLast(({ name }) => name === event.tool)?.accept();
        return;
      case "call-end":
        this.#calls.get(event.result.callId)?.end(event);
        return;
      case "run-end": {
        const { outcome } = event;
        if (outcome.status === "waiting" && outcome.approval === undefined) this.#calls.get(outcome.id)?.ask();
        return;
      }
      case "call-asking":
      case "call-decision":
      case "call-parked":
      case "call-question":
      case "call-progress":
      case "claim-retracted":
        this.#calls.get(event.callId)?.take(event);
        return;
      default:
        this.#takeOther(event);
    }
  }

  #takeOther(event: Event): void {
    switch (event.type) {
      case "check-start":
        this.#checked = event.when === "claim" ? this.#calls.get(event.callId ?? "") : undefined;
        return;
      case "check-end":
        if (event.when === "claim" && this.#checked !== undefined) this.#checked.add(checked(event));
        else this.#body.append(checked(event));
        return;
      case "reply-failure": {
        const { kind, message, advice, hint } = event.failure;
        this.#body.append(failed(kind, message, advice, hint));
        return;
      }
      case "circuit-failure":
      case "circuit-open":
        this.#body.querySelector(":scope > .pg-circuit")?.remove();
        this.#body.append(circuit(event));
        return;
      case "circuit-close":
        this.#note("circuit", "closed again");
        return;
      case "notice":
        this.#note("notice", event.text);
        return;
      case "hand-over":
        this.#calls.get(event.callId)?.pass(event.to.at(-1) ?? "the first agent");
        this.#speaker = event.to.at(-1) ?? "";
        return;
      case "prompt-rewrite":
        if (event.reason === "recovered") this.#note("prompt", "the mistakes are gone from it; the journal keeps them");
        return;
      case "definition-drift":
        this.#note("changed", `since the last worker: ${event.changes.join(", ")}`);
        return;
      case "lease-wait":
        this.#note("waits", "another worker still holds the session");
        return;
      case "request-retry":
      case "request-adjusted":
      case "forcing-step":
        this.#note("request", event.reason);
        return;
      case "expiry":
        this.#note("expiry", event.message);
        return;
      case "steer":
        this.#note("you", event.text);
        return;
      case "background-end":
        this.#note(event.work, event.result.text);
        return;
      default:
    }
  }

  #begin(iteration: number): void {
    this.#words = undefined;
    this.#state = undefined;
    this.#body = el("div", "pg-body");
    const title = el("span", "pg-number", String(iteration));
    const block = el("section", "pg-iteration", title, this.#body);
    block.setAttribute("aria-label", `Iteration ${String(iteration)}`);
    this.element.append(block);
  }

  #ask({ key, messages, tools }: Take<"request-start">): void {
    const text = `request: ${count(messages, "message")}, ${count(tools.length, "tool")}`;
    this.#state = el("span", "pg-asking", "the model thinks");
    const prompt = el("button", "pg-link", "prompt");
    prompt.type = "button";
    prompt.setAttribute("aria-label", "Show the exact prompt of this request");
    prompt.addEventListener("click", () => {
      this.#showPrompt(key);
    });
    const speaker = this.#speaker === "" ? undefined : el("span", "pg-speaker", this.#speaker);
    this.#body.append(el("p", "pg-request", speaker, text, prompt, this.#state));
  }

  #say(text: string): void {
    if (this.#state !== undefined) this.#state.textContent = text;
  }

  #write(text: string): void {
    if (this.#words === undefined) {
      this.#words = el("p", "pg-words");
      this.#body.append(this.#words);
    }
    this.#words.append(text);
  }

  #call({ call }: Take<"call-start">): void {
    // A call of an earlier worker stands in its iteration, which goes on below the line.
    if (this.#body === this.element) this.#begin(Number(/call:(\d+):[^/]*$/.exec(call.id)?.[1]));
    const view = new CallView(call, this.#calls.get(call.id));
    this.#calls.set(call.id, view);
    this.#body.append(view.element);
  }

  #below({ path: [id, ...path], event }: Take<"child-event">): void {
    const view = this.#calls.get(id ?? "")?.below(() => new RunView(this.#showPrompt));
    view?.take(path.length === 0 ? event : { type: "child-event", path, event });
  }

  #line(label: string, text: string): HTMLElement {
    return el("p", "pg-line", el("span", "pg-label", label), el("span", "pg-text", text));
  }

  #note(label: string, text: string): void {
    const line = this.#line(label, text);
    line.classList.add("pg-note");
    this.#body.append(line);
  }
}

function checked({ check, when, passed, output }: Take<"check-end">): HTMLElement {
  const words = `${check}, ${when === "baseline" ? "before the run" : when === "claim" ? "for the claim" : "after a change"}`;
  const state = passed ? "passed" : "failed";
  return el(
    "div",
    `pg-check pg-${passed ? "good" : "bad"}`,
    el("p", "pg-head", el("span", "pg-label", "check"), el("span", "pg-text", words), el("span", "pg-state", state)),
    output === "" ? undefined : el("pre", "pg-result", output),
  );
}

/** A failure, in the words that the model is told. */
export function failed(kind: string, message: string, advice: string, hint?: string): HTMLElement {
  return el(
    "div",
    "pg-failure",
    el("p", "pg-kind", kind, el("span", "pg-reads", "the model reads:")),
    el("p", "pg-told", message),
    el("p", "pg-told pg-advice", advice),
    hint === undefined ? undefined : el("p", "pg-told pg-advice", hint),
  );
}

function circuit({ type, count: same, inARow }: Take<"circuit-failure" | "circuit-open">): HTMLElement {
  const isOpen = type === "circuit-open";
  const meter = el("span", "pg-meter");
  meter.setAttribute("aria-hidden", "true");
  for (let one = 1; one <= Math.max(circuitOpensAt, same); one += 1)
    meter.append(el("i", one <= same ? "pg-full" : ""));
  const words = `${String(same)} of ${String(Math.max(circuitOpensAt, same))} identical failures in a row`;
  const others = inARow > same ? `, ${String(inARow)} failures in a row` : "";
  return el(
    "p",
    `pg-circuit${isOpen ? " pg-open" : ""}`,
    el("span", "pg-label", "circuit"),
    meter,
    el("span", "pg-text", isOpen ? `open: the same failure ${String(same)} times in a row` : `${words}${others}`),
  );
}
