/** Specs, contexts and observations of databases for tests of their pure code. */
import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { platformDatabase, type DatabaseDeployment, type DatabaseMemory } from "../../../src/kinds/database/crd.ts";
import { database } from "../../../src/kinds/database/index.ts";
import { NOTHING_OBSERVED, type DatabaseContext, type Observed } from "../../../src/kinds/database/model.ts";
import type { Database } from "../../../src/platform/areas/databases.ts";
import type { ServiceStatus } from "../../../src/platform/areas/service-status.ts";
import { type FlatContext, grouped, USUAL_CONTEXT } from "../kinds/policies.ts";
import { supportsOn, type OnSurface } from "../kinds/supports.ts";

export const DATABASE = "00000000-0000-4000-8000-0000000000b1";
export const ENVIRONMENT = "00000000-0000-4000-8000-0000000000e1";
export const REQUEST = "00000000-0000-4000-8000-0000000000d1";
export const OLD_REQUEST = "00000000-0000-4000-8000-0000000000d0";
const NOW = new Date("2026-11-21T10:00:00.400Z");

/** A spec as a user writes it. */
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

/** A deployment that has ended. */
export function deployment(change: Partial<DatabaseDeployment> = {}): DatabaseDeployment {
  return {
    requestId: OLD_REQUEST,
    state: "DEPLOYED",
    startedAt: "2026-11-21T09:00:00.000Z",
    finishedAt: "2026-11-21T09:01:00.000Z",
    settings: 0,
    ...change,
  };
}

/** A deployment that was requested and is not known to have ended. */
export function openDeployment(change: Partial<DatabaseDeployment> = {}): DatabaseDeployment {
  const { finishedAt: _, ...open } = deployment({ requestId: REQUEST, state: "DEPLOYMENT_QUEUED" });
  return { ...open, ...change };
}

/** The context of a database that exists and was deployed. */
export function passWith(
  change: Partial<Omit<FlatContext<DatabaseContext>, "spec" | "memory">> &
    OnSurface & {
      readonly spec?: JsonObject;
      readonly memory?: DatabaseMemory;
    } = {},
): DatabaseContext {
  const { spec, memory, ...rest } = change;
  return grouped({
    name: "main",
    spec: platformDatabase.spec.parse(databaseSpec(spec)),
    inputs: { environmentId: ENVIRONMENT },
    now: NOW,
    id: DATABASE,
    identitySource: "recorded",
    memory: { lastDeployment: deployment(), state: "DEPLOYED", ...memory },
    supports: supportsOn(rest.surface ?? "Full"),
    ...USUAL_CONTEXT,
    ...rest,
  });
}

export function statusOf(state: string, change: Partial<ServiceStatus> = {}): ServiceStatus {
  return {
    id: DATABASE,
    state,
    serviceDeploymentStatus: "UP_TO_DATE",
    lastDeploymentDate: "2026-11-21T09:01:00.000Z",
    deploymentRequestId: OLD_REQUEST,
    deploymentRequestsCount: 0,
    executionId: "run-1",
    ...change,
  };
}

/** The record of the database on the full surface. */
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

/** A summary of the plan: the operation, or the result and its reason. */
export function plannedBy(pass: DatabaseContext, observed: Observed): string {
  const next = database.plan(pass, observed);
  if (next.is === "step") return next.step.op;
  return next.is === "settled" || next.is === "adopt" ? next.is : `${next.is} ${next.why.reason}`;
}
