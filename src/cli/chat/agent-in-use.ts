// The agent of a conversation: made when it is needed, and made anew when the person wants something about it otherwise.

import type { Model } from "../../core/index.js";
import type { Tier } from "../../permission/index.js";
import { askQuestion, converse, taskCompletion } from "../../tools/index.js";
import { makeAgent, type AgentNeeds, type Ends, type MadeAgent } from "../task/make-agent.js";

/** What ends a turn. */
const endings: readonly [
  ReturnType<typeof converse>,
  ReturnType<typeof askQuestion>,
  ReturnType<typeof taskCompletion>,
] = [converse(), askQuestion(), taskCompletion()];

/** The agent, and what there is to say about it. */
export type ChatAgent = MadeAgent<typeof endings>;

/** How a turn ended. */
export type Turn = Awaited<ReturnType<ChatAgent["agent"]["run"]>>;

/** Makes it from what is needed, with these hooks. */
export function makeChatAgent(needs: AgentNeeds, hooks: Ends<typeof endings>["hooks"]): Promise<ChatAgent> {
  return makeAgent(needs, { endings, onText: "converse", hooks });
}

/** What it is made with, which may change from turn to turn. */
export class AgentInUse {
  readonly #hooks: Ends<typeof endings>["hooks"];
  #needs: AgentNeeds;
  #made: ChatAgent | undefined;

  constructor(needs: AgentNeeds, hooks: Ends<typeof endings>["hooks"]) {
    this.#needs = needs;
    this.#hooks = hooks;
  }

  /** The agent for the next turn. @throws LastcallError `configuration` where it can't be made. */
  async get(): Promise<ChatAgent> {
    return (this.#made ??= await makeChatAgent(this.#needs, this.#hooks));
  }

  get model(): string {
    return this.#needs.model.name;
  }

  get tier(): Tier {
    return this.#needs.rights.tier;
  }

  useModel(model: Model): Promise<void> {
    return this.#change({ model });
  }

  useTier(tier: Tier): Promise<void> {
    return this.#change({ rights: { ...this.#needs.rights, tier } });
  }

  /** Where it can't be made so, it stays as it is. */
  async #change(change: Partial<AgentNeeds>): Promise<void> {
    const needs = { ...this.#needs, ...change };
    this.#made = await makeChatAgent(needs, this.#hooks);
    this.#needs = needs;
  }
}
