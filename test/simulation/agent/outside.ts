// The outside, on which tools have effects: a network that loses answers, and a log of what really happened.

import type { Life } from "../world/life.js";
import type { World } from "../world/world.js";

/** Something that a call asks of the outside. */
export interface Asked {
  readonly callId: string;
  readonly tool: string;
  readonly life: Life;
  readonly signal: AbortSignal;
}

/** Milliseconds that a piece of work takes at the outside, at most. */
const longest = 3000;

/**
 * Asks for something that has an effect. Rejects if the answer was lost, whatever became of the effect, and if the signal aborts.
 */
export async function act(world: World, asked: Asked): Promise<string> {
  try {
    return await ask(world, asked);
  } catch (thrown) {
    if (world.planted !== "retried-step" || !(thrown instanceof AnswerLost)) throw thrown;
    return ask(world, asked);
  }
}

class AnswerLost extends Error {
  override readonly name = "AnswerLost";
}

function ask(world: World, { callId, tool, life, signal }: Asked): Promise<string> {
  const { scheduler, random } = world;
  return life.say(
    () =>
      new Promise((resolve, reject) => {
        const sent = scheduler.now;
        const isLost = world.strikes(0.05);
        const hasEffect = !isLost || random.chance(0.5);
        const took = random.chance(0.05) ? random.whole(0, 12 * longest) : random.whole(0, longest / 10);
        const happen = (): void => {
          if (hasEffect) world.effects.push({ callId, tool, worker: life.name, sent, at: scheduler.now });
        };
        const answer = (): void => {
          if (isLost) reject(new AnswerLost("The answer was lost."));
          else resolve(`done ${tool}`);
        };
        scheduler.after(took / 2, happen, outside);
        scheduler.after(took, answer, life);
        signal.addEventListener(
          "abort",
          () => {
            reject(signal.reason as Error);
          },
          { once: true },
        );
      }),
  );
}

const outside = { name: "outside", skew: 0, isDead: false, awake: 0 };
