// The place of a tool or a model: the world that is simulated, and the process that acts in it at this moment.

import type { Life } from "../world/life.js";
import type { World } from "../world/world.js";

/** A world and a process of it. */
export interface Place {
  readonly world: World;
  readonly life: Life;
}

let current: World | undefined;

/** Makes it the world of all agents. One at a time is simulated. */
export function enter(world: World | undefined): void {
  current = world;
}

/** The world that is simulated. @throws Error between two simulations. */
export function worldNow(): World {
  if (current === undefined) throw new Error("No world is simulated.");
  return current;
}

/** The world and the process of this moment. @throws Error if the event of this moment belongs to no process. */
export function placeNow(): Place {
  const world = worldNow();
  const { owner } = world.scheduler;
  if (owner === undefined || !("say" in owner)) throw new Error("No process acts.");
  return { world, life: owner as Life };
}
