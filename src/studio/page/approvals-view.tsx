// The approvals of a session, verified in this page.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ApprovalVerdict, Session } from "../../core/index.js";
import { keyNamesIn } from "../../core/internal.js";
import { useLoaded } from "../parts/use-task.js";
import { verifyWith } from "./verify-with.js";

interface ApprovalsProps {
  /** The session with the agents that its calls ran. */
  readonly session: Session;
}

/** A field for each public key, and a verdict for each answer and each effect. */
export function Approvals({ session }: ApprovalsProps): JSX.Element {
  const names = keyNamesIn(session);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const { problem, value } = useLoaded(() => verifyWith(session, texts), JSON.stringify(texts));
  return (
    <section class="approvals text" aria-label="Approvals, verified in this page">
      {names.length > 0 && (
        <p class="dim">
          The answers are signed. Paste the public keys from a place that you trust, not from whoever gave you this
          page.
        </p>
      )}
      {names.map((name) => (
        <label key={name} class="approvals-key">
          Public key {name}
          <input
            class="field"
            placeholder="PEM (BEGIN PUBLIC KEY) or JWK"
            spellcheck={false}
            onInput={(event) => {
              const { value: text } = event.currentTarget;
              setTexts((before) => ({ ...before, [name]: text }));
            }}
          />
          {value?.badKeys[name] !== undefined && <span class="problem">It can't be used: {value.badKeys[name]}.</span>}
        </label>
      ))}
      {problem !== "" && <p class="problem">{problem}</p>}
      {value?.verdicts !== undefined && <Verdicts verdicts={value.verdicts} />}
    </section>
  );
}

function Verdicts({ verdicts }: { readonly verdicts: readonly ApprovalVerdict[] }): JSX.Element {
  if (verdicts.length === 0) return <p class="dim">No call that waited was answered: there is nothing to verify.</p>;
  return (
    <ul class="receipts">
      {verdicts.map(({ session, record, about, callId, what, holds, problems, unchecked }) => (
        <li key={`${session} ${String(record)} ${about}`}>
          <span class={`chip ${!holds ? "chip-bad" : unchecked.length > 0 ? "chip-open" : "chip-good"}`}>
            {!holds ? "does not hold" : unchecked.length > 0 ? "not checked in full" : "holds"}
          </span>{" "}
          {what}
          <span class="dim">
            {" "}
            record {record}, {callId}
          </span>
          {!holds && <p class="bad">{problems.join("; ")}</p>}
          {unchecked.length > 0 && <p class="dim">{unchecked.join("; ")}</p>}
        </li>
      ))}
    </ul>
  );
}
