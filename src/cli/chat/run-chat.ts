// Runs a conversation, at a terminal or line by line.

import { LastcallError } from "../../core/index.js";
import type { Settings } from "../args/args.js";
import { open } from "../sessions/on-sessions.js";
import { prepare } from "../task/prepare.js";
import { storeFor } from "../sessions/sessions.js";
import { parker } from "../person/parked.js";
import { personIn, surfaceOf, type Surroundings } from "../person/surface.js";
import { colouredLook, plainLook } from "./style/look.js";

/**
 * Runs a conversation: the stored conversation with this id, or a new conversation. Returns the exit code.
 * @throws LastcallError `configuration` for options that a conversation can't have.
 */
export async function runChat(settings: Settings, around: Surroundings, id: string | undefined): Promise<number> {
  const { stdin, stdout, env } = around;
  const isAtTerminal = !settings.noInput && stdin.isTTY && stdout.isTTY && env["TERM"] !== "dumb";
  const person = settings.noInput ? undefined : personIn(around);
  if (settings.json) throw contradiction("--json prints one outcome, and a conversation has many; leave it out");
  if (settings.noSave)
    throw contradiction(
      "A conversation is kept, so that it can be gone on with, and a config file has no-save; give --sessions DIR",
    );
  if (settings.rights.mode === "ask-all" && !isAtTerminal && !settings.park)
    throw contradiction("--ask needs a terminal to ask at, and there is none. Use --park or --yes, or leave it out");
  const surface = await surfaceOf(settings, around);
  const { needs, modelNamed, events, close } = await prepare(settings, around, { person, surface });
  try {
    const session = await open(settings, around, id);
    const store = await storeFor(settings, env);
    if (!isAtTerminal) {
      const { chatByLines } = await import("./by-lines.js");
      return await chatByLines({
        ...surface,
        ...needs,
        approver: settings.park ? parker : undefined,
        events,
        store,
        session,
        input: stdin,
        output: stdout,
      });
    }
    const { chat } = await import("./terminal-chat.js");
    const look = (env["NO_COLOR"] ?? "") === "" ? colouredLook : plainLook;
    const terminal = { input: stdin, output: stdout };
    const newSession = (): ReturnType<typeof open> => open(settings, around, undefined);
    return await chat({
      ...needs,
      ...{ log: surface.log, events, session, newSession, store, modelNamed, terminal, look, signal: surface.signal },
    });
  } finally {
    await close();
  }
}

function contradiction(message: string): LastcallError {
  return new LastcallError("configuration", `${message}.`);
}
