// The page: the examples, the code, and the run in a worker that can be killed and resumed.

import { Bank } from "./bank.js";
import type { Editor } from "./editor.js";
import { count, el } from "./elements.js";
import { examples, type Example } from "./examples/list.js";
import { codeOf, exampleOf, keepCode, originalOf } from "./example-code.js";
import { deleteTree, openDatabase, readTree } from "./indexed-store.js";
import { JournalView } from "./journal-view.js";
import { kept, keep } from "./kept.js";
import type { Action, FromWorker, Problem, Prompt, Start, ToWorker } from "./messages.js";
import { enable, inCode, numberIn, part } from "./page-parts.js";
import { outcomeView, type ShownOutcome } from "./outcome-view.js";
import { chosenModel, modelDialog } from "./own-model.js";
import { promptDialog } from "./prompt-dialog.js";
import { RunView } from "./run-view.js";
import { makeTabs } from "./tabs.js";

/** The state of the run. */
type State = "ready" | "runs" | "killed" | "waiting" | "ended";

/** The page. */
class Playground {
  readonly #bank = new Bank();
  readonly #journal = new JournalView();
  readonly #prompts = new Map<string, Prompt>();
  readonly #showTab = makeTabs(part("tabs"));
  #run = this.#newRun();
  #example: Example = exampleOf("hello");
  #editor: Editor | undefined;
  #worker: Worker | undefined;
  #state: State = "ready";
  /** Counts what the reader asks for: an older request that is not done yet is given up. */
  #turn = 0;

  constructor() {
    part("journal").append(this.#journal.element);
    part("bank").append(this.#bank.element);
    part("run").addEventListener("click", () => void this.#begin());
    part("kill").addEventListener("click", () => void this.#kill());
    part("resume").addEventListener("click", () => void this.#start({ type: "resume" }));
    part("reset").addEventListener("click", () => {
      keepCode(this.#example, undefined);
      this.#editor?.show(codeOf(this.#example));
      this.#lookAtCode();
    });
    part("model").addEventListener("click", () => {
      this.#openDialog(
        modelDialog(() => {
          this.#nameModel();
        }),
      );
    });
    addEventListener("hashchange", () => void this.#choose(location.hash.slice(1)));
    this.#nameModel();
  }

  /** Shows the example that the address names, or that was there before, and loads the editor. */
  async open(): Promise<void> {
    if (!isSecureContext) throw new Error("The playground needs a secure address: https, or this machine's own.");
    const { example, waiting, session } = kept();
    const asked = location.hash.slice(1);
    const id = examples.some((one) => one.id === asked) ? asked : (example ?? "hello");
    await this.#choose(id, id === example);
    const { makeEditor } = await import("./editor.js");
    part("source").remove();
    this.#editor = makeEditor(
      part("editor"),
      codeOf(this.#example),
      (code) => {
        keepCode(this.#example, code);
        this.#editor?.mark(undefined);
        this.#lookAtCode();
      },
      () => void this.#begin(),
    );
    if (id === example && session !== undefined) await this.#restore(session, waiting);
  }

  /** Goes on with the run that was there when the page was left. */
  async #restore(session: string, waiting: ShownOutcome | undefined): Promise<void> {
    await this.#readJournal(session);
    if (this.#journal.records === 0) return;
    const stored = `In the store: ${count(this.#journal.records, "record")}.`;
    this.#showRun();
    if (waiting !== undefined) {
      this.#run.divide(`This page was left while its run waited. ${stored}`, "wait");
      this.#end(waiting);
    } else if (this.#journal.hasEnded) {
      this.#run.divide(`The last run of this page has ended. ${stored}`, "quiet");
      this.#enter("ended");
    } else {
      this.#run.divide(`This page was left in the midst of a run. ${stored}`, "wait");
      this.#enter("killed");
    }
  }

  #newRun(): RunView {
    return new RunView((key) => {
      const prompt = this.#prompts.get(key);
      if (prompt !== undefined) this.#openDialog(promptDialog(prompt));
    });
  }

  #openDialog(dialog: HTMLDialogElement): void {
    document.body.append(dialog);
    dialog.addEventListener("close", () => {
      dialog.remove();
    });
    dialog.showModal();
  }

  /** Shows an example. `isSame` keeps its run. */
  async #choose(id: string, isSame = false): Promise<void> {
    const example = examples.find((one) => one.id === id);
    if (example === undefined) return;
    this.#stop();
    this.#example = example;
    const list = part("examples");
    for (const link of list.querySelectorAll("a")) {
      if (link.hash !== `#${id}`) link.removeAttribute("aria-current");
      else {
        link.setAttribute("aria-current", "true");
        list.scrollLeft = link.offsetLeft - (list.clientWidth - link.offsetWidth) / 2;
      }
    }
    part("title").textContent = example.title;
    part("says").textContent = example.says;
    part("tries").replaceChildren(...inCode(example.tries));
    this.#editor?.show(codeOf(this.#example));
    if (this.#editor === undefined) part("source").textContent = codeOf(this.#example);
    this.#lookAtCode();
    if (isSame) return;
    keep({ example: id });
    await this.#clear();
    this.#enter("ready");
  }

  /** Says what follows from the code: whether it can be undone, and whether it has a bank. */
  #lookAtCode(): void {
    const code = codeOf(this.#example);
    enable("reset", code !== originalOf(this.#example));
    part("bank-tab").hidden = !code.includes("./bank.js");
  }

  #nameModel(): void {
    part("model").textContent = `Model: ${chosenModel()?.model ?? "the script"}`;
  }

  /** Forgets the run: its session, its payments and what is shown. */
  async #clear(): Promise<void> {
    const { session } = kept();
    keep({ session: undefined, waiting: undefined });
    this.#bank.clear();
    this.#journal.clear();
    this.#prompts.clear();
    this.#run = this.#newRun();
    part("console").replaceChildren();
    part("console-tab").hidden = true;
    this.#showRun();
    this.#showCounts();
    if (session !== undefined) await deleteTree(await openDatabase(), session);
  }

  #showRun(): void {
    part("events").replaceChildren(this.#run.element);
  }

  async #begin(): Promise<void> {
    this.#stop();
    this.#enter("runs");
    const turn = this.#turn;
    await this.#clear();
    if (turn !== this.#turn) return;
    const number = (kept().number ?? 0) + 1;
    keep({ number, session: `${this.#example.id}-${kept().tab}-${String(number)}` });
    this.#showTab("events");
    await this.#start({ type: "run" });
    if (matchMedia("(max-width: 50rem)").matches) part("right").scrollIntoView();
  }

  async #start(action: Action): Promise<void> {
    const { session } = kept();
    if (session === undefined) return;
    const turn = this.#turn;
    const { readCode } = await import("./program.js");
    if (turn !== this.#turn) return;
    const read = readCode(codeOf(this.#example));
    if ("problem" in read) {
      this.tellProblem(read.problem);
      return;
    }
    this.#editor?.mark(undefined);
    keep({ waiting: undefined });
    part("events").querySelector(".pg-outcome form, .pg-outcome .pg-answer")?.remove();
    this.#enter("runs");
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<string>) => {
      if (worker === this.#worker) this.#hear(JSON.parse(data) as FromWorker, action);
    };
    worker.onerror = ({ message }) => {
      if (worker === this.#worker) this.tellProblem({ message: message || "The worker could not be loaded." });
    };
    const own = chosenModel();
    const start: Start = {
      type: "start",
      ...read,
      session,
      action,
      pace: numberIn("pace"),
      ...(own !== undefined && { own }),
    };
    worker.postMessage(start);
  }

  #hear(message: FromWorker, action: Action): void {
    switch (message.type) {
      case "begun":
        if (action.type !== "run")
          this.#run.divide(`A new worker has read ${count(message.records, "record")}.`, "quiet");
        return;
      case "event":
        this.#run.take(message.event);
        if (message.event.type === "run-end") this.#end(message.event.outcome);
        else this.#follow();
        return;
      case "prompt":
        this.#prompts.set(message.prompt.key, message.prompt);
        return;
      case "stored":
        this.#journal.add(message.lines, message.session !== kept().session);
        this.#showCounts();
        return;
      case "log":
        this.#log(message.level, message.text);
        return;
      case "bank":
        this.#askBank(message);
        return;
      case "problem":
        this.tellProblem(message.problem);
        return;
      case "done":
        this.#stop();
        if (this.#state === "runs") this.#enter("ended");
    }
  }

  /** The bank does it at once, and takes its time to answer. A kill in between loses the answer, and not the payment. */
  #askBank({ request, ask }: Extract<FromWorker, { readonly type: "bank" }>): void {
    const value = this.#bank.take(ask);
    const worker = this.#worker;
    this.#showCounts();
    setTimeout(() => {
      if (worker !== this.#worker) return;
      worker?.postMessage({ type: "bank", request, value } satisfies ToWorker);
    }, numberIn("pace"));
  }

  #end(outcome: ShownOutcome): void {
    const view = outcomeView(outcome, (action) => void this.#start(action));
    this.#run.element.append(view);
    if (outcome.status === "failed" && chosenModel() !== undefined)
      this.#run.divide("A server has to let pages of this address ask it: see its settings for CORS.", "quiet");
    this.#enter(outcome.status === "waiting" ? "waiting" : "ended", outcome);
    if (outcome.status === "waiting") keep({ waiting: outcome });
    this.#follow();
  }

  /** Ends the worker, whatever it does. */
  #stop(): void {
    this.#turn += 1;
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #kill(): Promise<void> {
    this.#stop();
    this.#run.lose();
    const { session } = kept();
    if (session !== undefined) await this.#readJournal(session);
    const stored = count(this.#journal.records, "record");
    this.#run.divide(`Killed. The worker and its memory are gone. In the store: ${stored}.`, "bad");
    this.#enter("killed");
    this.#follow();
  }

  async #readJournal(session: string): Promise<void> {
    this.#journal.show(await readTree(await openDatabase(), session), session);
    this.#showCounts();
  }

  /** Shows a problem of the code at its line, and ends the worker. */
  tellProblem(problem: Problem): void {
    this.#stop();
    this.#editor?.mark(problem);
    const place = problem.line === undefined ? "" : `Line ${String(problem.line)}: `;
    const words = el("p", "pg-problem", `${place}${problem.message}`);
    words.setAttribute("role", "alert");
    this.#run.element.append(words);
    this.#enter(this.#journal.records > 0 ? "killed" : "ready");
    this.#follow();
  }

  #log(level: string, text: string): void {
    part("console").append(el("pre", `pg-log pg-log-${level}`, text));
    part("console-tab").hidden = false;
    this.#showCounts();
  }

  #showCounts(): void {
    part("records").textContent = String(this.#journal.records);
    part("payments").textContent = String(this.#bank.payments);
    part("logs").textContent = String(part("console").childElementCount);
  }

  #enter(state: State, outcome?: ShownOutcome): void {
    this.#state = state;
    const words =
      outcome?.status ??
      { ready: "ready", runs: "running", killed: "killed", waiting: "waiting", ended: "ended" }[state];
    const chip = part("state");
    chip.textContent = words;
    chip.dataset["state"] = words;
    const canResume =
      (state === "killed" && this.#journal.records > 0) ||
      (outcome !== undefined && ["stopped", "failed", "aborted"].includes(outcome.status));
    enable("run", state !== "runs");
    enable("kill", state === "runs");
    enable("resume", canResume);
    part("empty").hidden = this.#run.element.childElementCount > 0 || state === "runs";
  }

  /** Keeps the end of the run in sight, unless the reader looks at something else. */
  #follow(): void {
    const panel = part("events-panel");
    if (panel.scrollHeight - panel.scrollTop - panel.clientHeight < 400) panel.scrollTop = panel.scrollHeight;
  }
}

const playground = new Playground();
playground.open().catch((thrown: unknown) => {
  playground.tellProblem({ message: thrown instanceof Error ? thrown.message : String(thrown) });
});
