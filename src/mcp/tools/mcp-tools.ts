// mcpTools: the tools of a server for an agent.

import { atCaller } from "../../core/internal.js";
import type { Elicit, ElicitedQuestion } from "./elicitation.js";
import { foreignTool, type ForeignTool } from "./foreign-tool.js";
import { readOptions, type McpOptions } from "./mcp-options.js";
import type { SignInQuestion } from "../sign-in/asker.js";
import type { SignIns } from "../sign-in/sign-ins.js";
import { People } from "./people.js";
import { signInTool } from "./sign-in-tool.js";

/**
 * The tools of one server, while it is open. `Name` is the name of the server, and `Question` the type of its questions to the run: never
 * if `elicit` answers them.
 */
export interface McpTools<Name extends string = string, Question = ElicitedQuestion> {
  /** The name of the server, as given. */
  readonly name: Name;
  /** The server's name and version, in its own words. */
  readonly title: string;
  /** The revision of the protocol that both sides speak. */
  readonly protocol: string;
  /** The server's words about the use of its tools: untrusted text that no prompt gets by itself. Undefined if it says nothing. */
  readonly instructions: string | undefined;
  /** The tools that the server has now. */
  readonly tools: readonly ForeignTool<Name, Question>[];
  /** The tools that can't be used, by the server's names for them, and the reasons. */
  readonly leftOut: ReadonlyMap<string, string>;
  /** Ends the connection, and a server that was started for it. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Connects to an MCP server and makes tools of its tools. A local server ends with this process. If it ends earlier, its calls fail, and
 * the next call starts it again.
 *
 * Nothing of a server is trusted. Its tools have the effect `network`, so that permission is asked for each call, and their results are
 * untrusted content. Its words are made safe to show, and bounded. Its tools never end a run. If it asks the user something, the run ends
 * `waiting`, and the outcome's type says so, unless `elicit` answers. With `signIn` a run ends `waiting`, too, if a person has to sign in.
 * A server that lists its tools for people alone who signed in has the tool `<name>__sign_in`, and its tools are there after the first
 * sign-in.
 * @throws LastcallError `configuration` for a wrong option, a missing package or command, or a list of tools that can't be used;
 * `authentication` if the server wants a key and there is no `signIn`; `provider_unavailable` if it can't be reached.
 */
export function mcpTools<const Name extends string>(
  options: McpOptions<Name> & { readonly elicit: Elicit; readonly signIn: SignIns },
): Promise<McpTools<Name, SignInQuestion>>;
export function mcpTools<const Name extends string>(
  options: McpOptions<Name> & { readonly elicit: Elicit },
): Promise<McpTools<Name, never>>;
export function mcpTools<const Name extends string>(
  options: McpOptions<Name> & { readonly signIn: SignIns },
): Promise<McpTools<Name, ElicitedQuestion | SignInQuestion>>;
export function mcpTools<const Name extends string>(options: McpOptions<Name>): Promise<McpTools<Name>>;
export async function mcpTools(options: McpOptions): Promise<McpTools> {
  const settings = atCaller(mcpTools, () => readOptions(options));
  const people = new People(settings);
  options.signal?.throwIfAborted();
  await people.start(options.signal ?? new AbortController().signal).catch(async (thrown: unknown) => {
    await people.close();
    throw thrown;
  });
  const made = new Map<string, ForeignTool>();
  const signIn = signInTool(people);
  const close = (): Promise<void> => people.close();
  return {
    name: settings.name,
    get title() {
      return people.about.title;
    },
    get protocol() {
      return people.about.protocol;
    },
    get instructions() {
      return people.about.instructions;
    },
    get tools() {
      const listed = people.listing.tools.map((one) => {
        const key = `${one.name} ${one.digest}`;
        const known = made.get(key) ?? foreignTool(people, one);
        made.set(key, known);
        return known;
      });
      return people.isShut && !listed.some(({ name }) => name === signIn.name) ? [signIn, ...listed] : listed;
    },
    get leftOut() {
      return people.listing.leftOut;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
