// A stated server as a line for people: its whole command line or address, with nothing hidden.

import { visible } from "../display/visible.js";
import type { StatedServer } from "./stated-server.js";

/** The command line or the address of a server, with the variables and headers that it gets. Variables are not expanded. */
export function wayOf({ command, args = [], env, cwd, url, headers }: StatedServer): string {
  const way = command === undefined ? (url ?? "") : [command, ...args].map(word).join(" ");
  const pairs = (given: Readonly<Record<string, string>>, sign: string): string =>
    Object.entries(given)
      .map(([name, value]) => `${name}${sign}${word(value)}`)
      .join(" ");
  const rest = [
    ...(cwd === undefined ? [] : [`in ${cwd}`]),
    ...(env === undefined ? [] : [`with ${pairs(env, "=")}`]),
    ...(headers === undefined ? [] : [`with ${pairs(headers, ": ")}`]),
  ];
  return visible(rest.length === 0 ? way : `${way} (${rest.join(", ")})`);
}

/** A line about the server: its name and its way, and what it is believed. */
export function serverLine(server: StatedServer): string {
  const believed = server.trust === true ? " [its hints are believed]" : "";
  return `${visible(server.name)}: ${wayOf(server)}${believed}`;
}

function word(text: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(text) ? text : JSON.stringify(text);
}
