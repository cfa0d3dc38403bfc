import type { Deliveries } from "../deliveries/deliveries.ts";
import type { Machine } from "../model/machine.ts";
import type { Auth } from "./auth.ts";
import type { Faults } from "./faults.ts";
import type { Journal } from "./journal.ts";
import type { Rate } from "./rate.ts";

/** All parts of one running platform. */
export interface Simulation extends Machine {
  readonly auth: Auth;
  readonly rate: Rate;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly deliveries: Deliveries;
}
