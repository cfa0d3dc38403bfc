import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { platformDatabase, type DatabaseDeployment } from "../../../src/kinds/database/crd.ts";
import { database } from "../../../src/kinds/database/index.ts";
import { NOTHING_OBSERVED, type DatabaseContext, type Observed } from "../../../src/kinds/database/model.ts";
import type { Database } from "../../../src/platform/areas/databases.ts";
import type { ServiceStatus } from "../../../src/platform/areas/service-status.ts";
import { buildContext, type SpecChange } from "../kinds/contexts.ts";
import { planTable, said } from "../kinds/plans.ts";
import { ENDED, ENVIRONMENT, NOW, OPEN, statusOf as ofApplication } from "./applications.ts";

export { ENVIRONMENT, OLD_REQUEST, REQUEST } from "./applications.ts";

export const DATABASE = "00000000-0000-4000-8000-0000000000b1";
const SETTINGS = { name: "main", type: "POSTGRESQL", mode: "CONTAINER", version: "16" };

export const databaseSpec = (change: JsonObject = {}): JsonObject => ({
  environmentRef: { name: "staging" },
  ...SETTINGS,
  ...change,
});

export const deployment = (change: Partial<DatabaseDeployment> = {}): DatabaseDeployment => ({ ...ENDED, ...change });

export const openDeployment = (change: Partial<DatabaseDeployment> = {}): DatabaseDeployment => ({
  ...OPEN,
  ...change,
});

export type Change = SpecChange<DatabaseContext>;

/** The context of a database that exists and was deployed, on the full surface. */
export function contextWith({ spec, memory, ...change }: Change = {}): DatabaseContext {
  const usual = {
    name: "main",
    spec: platformDatabase.spec.parse(databaseSpec(spec)),
    inputs: { environmentId: ENVIRONMENT },
    now: NOW,
    id: DATABASE,
    memory: { lastDeployment: deployment(), state: "DEPLOYED", ...memory },
    surface: "Full",
  } as const;
  return buildContext<DatabaseContext>(usual, change);
}

export const statusOf = (state: string, change: Partial<ServiceStatus> = {}): ServiceStatus =>
  ofApplication(state, { id: DATABASE, ...change });

export const record = (change: Partial<Database> = {}): Database => ({
  id: DATABASE,
  ...SETTINGS,
  record: {},
  ...change,
});

/** The observation on the full surface. */
export function observedFull(
  state: string,
  change: Partial<Database> = {},
  observed: Partial<Observed> = {},
): Observed {
  return { ...NOTHING_OBSERVED, siblings: [record(change)], status: statusOf(state), ...observed };
}

export const plannedBy = (context: DatabaseContext, observed: Observed): string =>
  said(database.plan(context, observed));
export const planned = (change: Change, observed: Observed): string => plannedBy(contextWith(change), observed);
export const plans = planTable(planned);
