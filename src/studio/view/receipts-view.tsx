// The receipts of a claim, verified in this page.

import type { JSX } from "preact";
import type { JournalRecord } from "../../core/index.js";
import type { Api } from "../data/server-api.js";
import { verifyClaim } from "../data/receipts.js";
import { useLoaded } from "../parts/use-task.js";

interface ReceiptsProps {
  readonly api: Api;
  readonly id: string;
  /** The number of the record of the claim. */
  readonly seq: number;
  readonly records: readonly JournalRecord[];
}

/** Each receipt, and whether it agrees with the journal. */
export function Receipts({ api, id, seq, records }: ReceiptsProps): JSX.Element {
  const means = {
    whole: (record: number) => api.record(id, record),
    redacted: () => api.redacted(id),
    canDigest: "subtle" in crypto,
  };
  const { problem, value } = useLoaded(() => verifyClaim(records, seq, means), `${id} ${String(seq)}`);
  if (problem !== "") return <p class="problem">{problem}</p>;
  if (value === undefined) return <p class="dim">Verifies the receipts …</p>;
  if (value.length === 0) return <p class="dim">The claim has no receipts: no check was declared.</p>;
  return (
    <section class="text">
      <p class="text-label">Receipts, verified in this page</p>
      <ul class="receipts">
        {value.map(({ receipt, holds, isOpen = false, reason }) => (
          <li key={receipt.record}>
            <span class={`chip ${holds ? "chip-good" : isOpen ? "chip-open" : "chip-bad"}`}>
              {holds ? "holds" : isOpen ? "not checked" : "does not hold"}
            </span>{" "}
            {receipt.check}: {receipt.passed ? "passed" : "failed"}
            {receipt.failedBefore > 0 &&
              `, failed ${receipt.failedBefore === 1 ? "once" : `${String(receipt.failedBefore)} times`} before`}
            {receipt.flaky && ", flaky"}
            {receipt.passedAtBaseline === true && ", passed before anything was changed"}
            {receipt.judged && ", judged by a model"}
            {receipt.kind === "rule" && ", a rule: no evidence"}
            {receipt.kind === "advice" && ", advice"}
            <span class="dim">
              {" "}
              record {receipt.record}, {receipt.digest.slice(0, 12)}
            </span>
            {!holds && <p class={isOpen ? "dim" : "bad"}>{reason}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
