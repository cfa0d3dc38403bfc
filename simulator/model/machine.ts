import type { Ids } from "../base/ids.ts";
import type { Settings } from "../base/settings.ts";
import type { Time } from "../base/time.ts";
import type { World } from "./world.ts";

/** A change of state, as the journal keeps it. */
export interface Transition {
  readonly subject: "service" | "cluster" | "request";
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Virtual milliseconds. */
  readonly at: number;
}

/** The data that the state machines work on. */
export interface Machine {
  readonly world: World;
  readonly time: Time;
  readonly settings: Settings;
  readonly ids: Ids;
  /** Called for every change of state, in order. */
  notify(transition: Transition): void;
}
