// The token that each request to a server of the command has to bring.

import { randomBytes } from "node:crypto";
import { LastcallError } from "../../core/index.js";
import type { Surroundings } from "../person/surface.js";

/** Characters that a token needs, so that nobody guesses it. */
const shortest = 16;

/** A token, and how it is written where people read it. */
export interface ServerToken {
  readonly value: string;
  /** The token itself if it was made for this start; otherwise the variable that has it, because its owner keeps it elsewhere. */
  readonly shown: string;
}

/**
 * The token of the environment, or a new token.
 * @throws LastcallError `configuration` for a token that is too short.
 */
export function serverToken(env: Surroundings["env"], variable: string): ServerToken {
  const given = env[variable] ?? "";
  if (given !== "" && given.length < shortest)
    throw new LastcallError(
      "configuration",
      `${variable} has fewer than ${String(shortest)} characters, so it could be guessed. Give a longer one, or leave it out to get one.`,
    );
  if (given !== "") return { value: given, shown: `\${${variable}}` };
  const value = randomBytes(24).toString("base64url");
  return { value, shown: value };
}
