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

/** The agent that a conversation uses now. A change of its model or tier counts from the next turn on. */
export class AgentInUse {
  readonly #hooks: Ends["hooks"];
  #needs: AgentNeeds;
  #made: MadeAgent | undefined;
  /** Ends with the last making. Makings happen one after the other, so no change is lost. */
  #lastMaking: Promise<unknown> = Promise.resolve();

  constructor(needs: AgentNeeds, hooks: Ends["hooks"]) {
    this.#needs = needs;
    this.#hooks = hooks;
  }

  /** The agent for the next turn. @throws LastcallError `configuration` if it can't be made. */
  get(): Promise<MadeAgent> {
    return this.#afterLast(() => this.#made ?? this.#make({}));
  }

  get model(): string {
    return this.#needs.model.name;
  }

  get tier(): Tier {
    return this.#needs.settings.rights.tier;
  }

  async useModel(model: Model): Promise<void> {
    await this.#afterLast(() => this.#make({ model }));
  }

  async useTier(tier: Tier): Promise<void> {
    await this.#afterLast(() => {
      const { settings } = this.#needs;
      return this.#make({ settings: { ...settings, rights: { ...settings.rights, tier } } });
    });
  }

  #afterLast(make: () => MadeAgent | Promise<MadeAgent>): Promise<MadeAgent> {
    const making = this.#lastMaking.then(make);
    this.#lastMaking = making.catch(() => undefined);
    return making;
  }

  /** Makes the agent with the change. If the making fails, the old agent stays. */
  async #make(change: Partial<AgentNeeds>): Promise<MadeAgent> {
    const needs = { ...this.#needs, ...change };
    const made = await makeChatAgent(needs, this.#hooks);
    this.#needs = needs;
    this.#made = made;
    return made;
  }
}
