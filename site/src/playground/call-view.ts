// One call: its arguments, the decision about it, its result or its failure, and the agent that it runs.

import type { Call, Event } from "lastcall";
import { el, written } from "./elements.js";
import { failed, type RunView } from "./run-view.js";

type Take<Type extends Event["type"]> = Extract<Event, { readonly type: Type }>;

/** Draws one call. */
export class CallView {
  readonly element: HTMLElement;
  readonly name: string;
  readonly #state = el("span", "pg-state");
  readonly #rest = el("div", "pg-rest");
  /** The same call in an earlier worker. */
  readonly #before: CallView | undefined;
  #isOpen = true;
  #isParked = false;
  #below: RunView | undefined;

  constructor(call: Call, before?: CallView) {
    this.name = call.name;
    this.#before = before;
    const isRead = call.type === "call";
    const input = isRead ? `(${written(call.input)})` : ` ${call.source}`;
    const text = el("code", "pg-code", el("b", "", call.name), input);
    this.element = el("article", "pg-call", el("div", "pg-head", text, this.#state), this.#rest);
    this.element.setAttribute("aria-label", `Call of ${call.name}`);
    this.#set(this.#word, "");
  }

  get #word(): string {
    if (this.#before === undefined) return "runs";
    return this.#wasParked ? "runs, with the same id" : "runs again, with the same id";
  }

  get #wasParked(): boolean {
    return this.#before !== undefined && this.#before.#isParked;
  }

  /** Adds a part below the call. */
  add(part: HTMLElement): void {
    this.#rest.append(part);
  }

  accept(): void {
    this.#isOpen = false;
    this.#set("claim accepted", "good");
  }

  /** The call was a question, and its run has ended with it. */
  ask(): void {
    this.#set("asks you", "wait");
  }

  pass(name: string): void {
    this.#isOpen = false;
    this.#set(`handed over to ${name}`, "good");
  }

  lose(): void {
    this.#below?.lose();
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#set("no result: the worker was killed", "wait");
  }

  end({ result, error }: Take<"call-end">): void {
    this.#isOpen = false;
    const { ok, failure, text, from } = result;
    if (failure === undefined) {
      const again = this.#before === undefined ? "" : this.#word.replace("runs", "ran");
      this.#set(ok ? again : "failed", ok ? "good" : "bad");
      this.#rest.append(el("pre", "pg-result", text));
      if (from === "outside") this.#rest.title = "Marked for the model as content from outside";
      return;
    }
    const isClaim = failure.kind === "check_failed" || failure.kind === "claim_refused";
    this.#set(isClaim ? "claim refused" : "failed", "bad");
    this.#rest.append(failed(failure.kind, failure.message, failure.advice, failure.hint));
    const line = /playground\.js:(\d+)/.exec(error?.stack ?? "")?.[1];
    if (line !== undefined) this.#line("thrown", `in line ${line}`);
  }

  take(
    event: Take<
      "call-asking" | "call-decision" | "call-parked" | "call-question" | "call-progress" | "claim-retracted"
    >,
  ) {
    switch (event.type) {
      case "call-asking":
        this.#set("asks for permission", "");
        return;
      case "call-decision":
        if (this.#wasParked) this.#line(event.allowed ? "allowed" : "refused", event.reason);
        else if (this.#isOpen) this.#set(this.#word, "");
        return;
      case "call-parked":
        this.#isOpen = false;
        this.#isParked = true;
        this.#set("parked", "wait");
        this.#line("waits", event.preview === undefined ? event.why : `${event.why}: ${event.preview}`);
        return;
      case "call-question":
        this.#isOpen = false;
        this.#set("asks you", "wait");
        return;
      case "call-progress":
        this.#line("progress", typeof event.progress === "string" ? event.progress : written(event.progress));
        return;
      case "claim-retracted":
        this.#set("claim refused", "bad");
    }
  }

  /** The run of the agent below. */
  below(make: () => RunView): RunView {
    if (this.#below === undefined) {
      this.#below = make();
      this.#below.element.classList.add("pg-below");
      this.#rest.append(this.#below.element);
    }
    return this.#below;
  }

  #set(text: string, tone: string): void {
    this.#state.textContent = text;
    this.element.className = `pg-call${tone === "" ? "" : ` pg-${tone}`}`;
  }

  #line(label: string, text: string): void {
    this.#rest.append(el("p", "pg-line pg-note", el("span", "pg-label", label), el("span", "pg-text", text)));
  }
}
