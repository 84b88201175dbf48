// The things that people ask a host for: the only place of a simulation that calls the port of a host.

import type { Input } from "../../../src/core/index.js";
import type { Host, RunEnd } from "../../../src/host/index.js";

/** Something that a person asks for. `id` stands in its words, too. */
export type Ask = { readonly id: string; readonly session: string } & (
  | { readonly kind: "start" | "steer"; readonly agent: string; readonly text: string }
  | { readonly kind: "answer"; readonly callId: string; readonly text: string; readonly hasId: boolean }
  | { readonly kind: "approve"; readonly callId: string; readonly digest: string; readonly allowed: boolean }
  | { readonly kind: "plan"; readonly agent: string; readonly text: string; readonly at: number }
  | { readonly kind: "abort" | "resume" }
);

/** The answer of a host: it has the thing. */
export interface Given {
  /** False if there was nothing to abort. */
  readonly isDone: boolean;
  /** Resolves with the end of the run. Undefined if there is none to wait for. */
  readonly ended: (() => Promise<RunEnd>) | undefined;
}

/** Asks a host. @throws LastcallError as the host does. */
export async function askHost(host: Host, ask: Ask): Promise<Given> {
  const { id, session } = ask;
  const given = ({ ended }: { ended(): Promise<RunEnd> }): Given => ({ isDone: true, ended });
  switch (ask.kind) {
    case "start":
      return given(await host.give({ session, agent: ask.agent, input: ask.text, inputId: id }));
    case "steer":
      return given(await host.give({ session, input: ask.text, inputId: id }));
    case "answer": {
      const input: Input = ask.text;
      return given(await host.give({ session, answers: ask.callId, input, ...(ask.hasId && { inputId: id }) }));
    }
    case "approve": {
      const { callId, digest, allowed } = ask;
      const input = { allowed, digest, reason: `<${id}>` };
      return given(await host.give({ session, answers: callId, input, inputId: id }));
    }
    case "resume":
      return given(await host.give({ session }));
    case "abort":
      return { isDone: await host.abort(session, `<${id}>`), ended: undefined };
    case "plan":
      await host.schedule({ name: id, at: ask.at, session, agent: ask.agent, input: ask.text });
      return { isDone: true, ended: undefined };
  }
}
