// The bank of the examples: it stands in the page, so it outlives every worker, and it pays a key once.

import type { BankRequest } from "./messages.js";
import { count, el } from "./elements.js";

interface Payment {
  readonly key: string;
  readonly to: string;
  readonly cents: number;
  /** The number of requests with this key. */
  readonly requests: number;
}

const place = "lastcall playground bank";

/** Keeps payments, and draws them. */
export class Bank {
  readonly element: HTMLElement = el("div", "pg-bank");
  #payments: readonly Payment[] = JSON.parse(sessionStorage.getItem(place) ?? "[]") as readonly Payment[];

  constructor() {
    this.#draw();
  }

  /** The number of payments. */
  get payments(): number {
    return this.#payments.length;
  }

  clear(): void {
    this.#keep([]);
  }

  /** Does what the request says, and returns the answer to it. */
  take(request: BankRequest): unknown {
    if (request.do === "books")
      return { payments: this.#payments.map(({ to, cents }) => ({ to, cents })), requests: this.#requests };
    const { key, to, cents } = request;
    const known = this.#payments.find((one) => one.key === key);
    this.#keep(
      known === undefined
        ? [...this.#payments, { key, to, cents, requests: 1 }]
        : this.#payments.map((one) => (one === known ? { ...one, requests: one.requests + 1 } : one)),
    );
    return `${known === undefined ? "paid" : "was paid before"}: ${euros(cents)} to ${to}`;
  }

  get #requests(): number {
    return this.#payments.reduce((sum, { requests }) => sum + requests, 0);
  }

  #keep(payments: readonly Payment[]): void {
    this.#payments = payments;
    sessionStorage.setItem(place, JSON.stringify(payments));
    this.#draw();
  }

  #draw(): void {
    if (this.#payments.length === 0) {
      this.element.replaceChildren(el("p", "pg-empty", "The bank has paid nothing yet."));
      return;
    }
    const head = el("tr", "", ...["To", "Amount", "Asked"].map((text) => el("th", "", text)));
    const rows = this.#payments.map(({ to, cents, requests }) =>
      el(
        "tr",
        "",
        el("td", "", to),
        el("td", "", euros(cents)),
        el("td", "", requests === 1 ? "once" : `${requests === 2 ? "twice" : `${String(requests)} times`}, paid once`),
      ),
    );
    this.element.replaceChildren(
      el("p", "pg-sum", `${count(this.#payments.length, "payment")}, ${count(this.#requests, "request")}`),
      el("table", "", el("thead", "", head), el("tbody", "", ...rows)),
    );
  }
}

function euros(cents: number): string {
  return `${(cents / 100).toFixed(2)} EUR`;
}
