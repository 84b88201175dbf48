// The agent of a conversation: made before the first turn, and made again when the person changes its model or tier.

import type { Model } from "../../core/index.js";
import type { Tier } from "../../permission/index.js";
import { askQuestion, converse, taskCompletion } from "../../tools/index.js";
import { makeAgent, type AgentNeeds, type Ends, type MadeAgent } from "../task/make-agent.js";

/** The outcome of a turn. */
export type Turn = Awaited<ReturnType<MadeAgent["agent"]["run"]>>;

/** Makes the agent of a conversation. @throws LastcallError `configuration` if it can't be made. */
export function makeChatAgent(needs: AgentNeeds, hooks: Ends["hooks"]): Promise<MadeAgent> {
  return makeAgent(needs, { endings: [converse(), askQuestion(), taskCompletion()], onText: "converse", hooks });
}

/** The present agent of a conversation. Changes count from the next turn on. */
export class AgentInUse {
  readonly #hooks: Ends["hooks"];
  #needs: AgentNeeds;
  #made: MadeAgent | undefined;

  constructor(needs: AgentNeeds, hooks: Ends["hooks"]) {
    this.#needs = needs;
    this.#hooks = hooks;
  }

  /** The agent for the next turn. @throws LastcallError `configuration` if it can't be made. */
  async get(): Promise<MadeAgent> {
    return (this.#made ??= await makeChatAgent(this.#needs, this.#hooks));
  }

  get model(): string {
    return this.#needs.model.name;
  }

  get tier(): Tier {
    return this.#needs.settings.rights.tier;
  }

  useModel(model: Model): Promise<void> {
    return this.#change({ model });
  }

  useTier(tier: Tier): Promise<void> {
    const { settings } = this.#needs;
    return this.#change({ settings: { ...settings, rights: { ...settings.rights, tier } } });
  }

  /** Makes the changed agent. If that fails, the present agent stays. */
  async #change(change: Partial<AgentNeeds>): Promise<void> {
    const needs = { ...this.#needs, ...change };
    this.#made = await makeChatAgent(needs, this.#hooks);
    this.#needs = needs;
  }
}
