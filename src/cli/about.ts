// The help and the version of the command. They load nothing else of the command.

import { help } from "./args/help.js";
import { columnsOf } from "./display/paragraph.js";

/** The output that the text is for. */
interface Output {
  readonly stdout: { readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A request for a page of the help (without a name: the overview), or for the version. */
export type Request = { readonly do: "help"; readonly page: string | undefined } | { readonly do: "version" };

/** Returns the text to print; undefined if the help has no such page. */
export async function about(request: Request, { stdout, env }: Output): Promise<string | undefined> {
  if (request.do === "help") return help(request.page, columnsOf(stdout, env));
  return `${(await import("../packages/index.js")).ownVersion()}\n`;
}

/** The request that a command line is if it has one word for it and nothing else; else undefined. */
export function asksAbout(argv: readonly string[]): Request | undefined {
  const [word, ...others] = argv;
  if (others.length > 0) return undefined;
  if (word === "--help" || word === "-h" || word === "help") return { do: "help", page: undefined };
  return word === "--version" || word === "version" ? { do: "version" } : undefined;
}
