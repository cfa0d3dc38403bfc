import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { platformDatabase, type DatabaseDeployment } from "../../../src/kinds/database/crd.ts";
import { database } from "../../../src/kinds/database/index.ts";
import { NOTHING_OBSERVED, type DatabaseContext, type Observed } from "../../../src/kinds/database/model.ts";
import type { Database } from "../../../src/platform/areas/databases.ts";
import type { ServiceStatus } from "../../../src/platform/areas/service-status.ts";
import { contextWith, type SpecChange } from "../kinds/contexts.ts";
import { said } from "../kinds/plans.ts";
import {
  deployment as applicationDeployment,
  ENVIRONMENT,
  NOW,
  REQUEST,
  statusOf as ofApplication,
} from "./applications.ts";

export { ENVIRONMENT, OLD_REQUEST, REQUEST } from "./applications.ts";

export const DATABASE = "00000000-0000-4000-8000-0000000000b1";

export function databaseSpec(change: JsonObject = {}): JsonObject {
  return {
    environmentRef: { name: "staging" },
    name: "main",
    type: "POSTGRESQL",
    mode: "CONTAINER",
    version: "16",
    ...change,
  };
}

export function deployment(change: Partial<DatabaseDeployment> = {}): DatabaseDeployment {
  const { gitCommitId: _, ...ended } = applicationDeployment();
  return { ...ended, ...change };
}

export function openDeployment(change: Partial<DatabaseDeployment> = {}): DatabaseDeployment {
  const { finishedAt: _, ...open } = deployment({ requestId: REQUEST, state: "DEPLOYMENT_QUEUED" });
  return { ...open, ...change };
}

export type Change = SpecChange<DatabaseContext>;

/** The context of a database that exists and was deployed. */
export function passWith({ spec, memory, ...change }: Change = {}): DatabaseContext {
  const usual = {
    name: "main",
    spec: platformDatabase.spec.parse(databaseSpec(spec)),
    inputs: { environmentId: ENVIRONMENT },
    now: NOW,
    id: DATABASE,
    memory: { lastDeployment: deployment(), state: "DEPLOYED", ...memory },
    surface: "Full",
  } as const;
  return contextWith<DatabaseContext>(usual, change);
}

export const statusOf = (state: string, change: Partial<ServiceStatus> = {}): ServiceStatus =>
  ofApplication(state, { id: DATABASE, ...change });

export function record(change: Partial<Database> = {}): Database {
  const settings = { type: "POSTGRESQL", mode: "CONTAINER", version: "16" };
  return { id: DATABASE, name: "main", ...settings, record: {}, ...change };
}

/** The observation on the full surface. */
export function observedFull(
  state: string,
  change: Partial<Database> = {},
  observed: Partial<Observed> = {},
): Observed {
  return { ...NOTHING_OBSERVED, siblings: [record(change)], status: statusOf(state), ...observed };
}

export function plannedBy(pass: DatabaseContext, observed: Observed): string {
  return said(database.plan(pass, observed));
}
