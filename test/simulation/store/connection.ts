// The connections of one process to the database: statements take their time, break off, and overtake each other.

import type { Life } from "../world/life.js";
import type { World } from "../world/world.js";
import type { Sender } from "./database.js";

/** The connection broke. The statement was carried out, or not, or it will be. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
  constructor() {
    super("the connection was lost");
  }
}

/** What a statement does at the database; `torn` in place of it if a broken connection leaves a part of it. */
export interface Statement<Answer> {
  readonly work: (sender: Sender) => Answer;
  readonly torn?: (() => void) | undefined;
}

/** Sends statements, each over a connection of its own. */
export class Connections {
  readonly #world: World;
  readonly #life: Life;

  constructor(world: World, life: Life) {
    this.#world = world;
    this.#life = life;
  }

  /**
   * Carries out a statement, and returns its answer.
   * @throws ConnectionLost, and whatever the statement throws.
   */
  query<Answer>(statement: Statement<Answer>): Promise<Answer> {
    return this.#life.say(() => this.#send(statement));
  }

  #send<Answer>({ work, torn }: Statement<Answer>): Promise<Answer> {
    const { scheduler, random } = this.#world;
    const to = this.#way();
    const back = this.#way();
    const { isOut } = this.#world;
    const isLost = isOut || this.#world.strikes(this.#world.weather.lost);
    const fate = isOut ? "before" : isLost ? random.pick(["before", "after", "late", "torn"] as const) : "whole";
    if (isLost) this.#world.count("lost connections");
    const life = this.#life;
    const sender = {
      name: life.name,
      clock: scheduler.clock(life),
      isGone: () => fate === "late" || (life.hasStoodStill && life.isDead),
    };
    return new Promise((resolve, reject) => {
      const fail = (): void => {
        reject(new ConnectionLost());
      };
      const carryOut = (): void => {
        if (fate === "torn" && torn !== undefined) {
          torn();
          return;
        }
        const settle = made(() => work(sender), resolve, reject);
        if (fate === "whole") scheduler.after(back, settle, this.#life);
      };
      if (fate !== "before") scheduler.after(fate === "late" ? to + random.whole(0, 8000) : to, carryOut, outside);
      if (fate !== "whole") scheduler.after(to + back, fail, this.#life);
    });
  }

  /** The milliseconds of one way. */
  #way(): number {
    const { random, weather } = this.#world;
    return this.#world.strikes(weather.slow) ? random.whole(100, 4000) : random.whole(0, weather.way);
  }
}

/** Does the work. Returns the function that tells its answer, or its error. */
function made<Answer>(
  work: () => Answer,
  resolve: (answer: Answer) => void,
  reject: (thrown: unknown) => void,
): () => void {
  try {
    const answer = work();
    return () => {
      resolve(answer);
    };
  } catch (thrown) {
    return () => {
      reject(thrown);
    };
  }
}

/** The database is no process that can be killed here. */
const outside = { name: "database", skew: 0, isDead: false, awake: 0 };
