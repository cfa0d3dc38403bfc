import { describe, expect, it } from "vitest";

import { capabilitiesOn } from "../../../test/support/kinds/supports.ts";
import { passWith, plannedBy, record, statusOf } from "../../../test/support/services/databases.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import { database } from "./index.ts";

const missing = () => Promise.reject(new ApiError("getDatabase", { is: "NotFound" }, 404, "not found"));

/** A platform whose shared statuses are older than its list. */
function platform(isListed: boolean): Platform {
  return {
    capabilities: capabilitiesOn("Full"),
    databases: { list: () => Promise.resolve(isListed ? [record()] : []), get: missing },
    services: { statuses: () => Promise.resolve([statusOf("DELETING")]) },
    serverNow: () => undefined,
    databaseTypes: { list: () => Promise.resolve([]) },
  } as unknown as Platform;
}

/** The answer of a platform to a read. */
type Failing = readonly [what: string, is: "Forbidden" | "Server" | "BadResponse" | "NotSupported", status: number];

const UNCLEAR: readonly Failing[] = [
  ["is forbidden", "Forbidden", 403],
  ["fails", "Server", 503],
  ["is not as documented", "BadResponse", 200],
];
const MISSING: Failing = ["is not offered", "NotSupported", 405];

/** A platform that lists the database and answers one other read with a failure. */
function failingPlatform(operation: OperationName, [, is, status]: Failing): Platform {
  const capabilities = capabilitiesOn("Auto");
  capabilities.restore({ supported: ["listDatabases"] });
  const answer = async <T>(op: OperationName, value: T): Promise<T> => {
    if (op !== operation) return await Promise.resolve(value);
    const error = new ApiError(op, { is } as ApiFailure, status, "no");
    capabilities.failed(op, error);
    throw error;
  };
  return {
    capabilities,
    databases: { list: () => Promise.resolve([record()]) },
    services: { statuses: () => answer("listServiceStatuses", [statusOf("DEPLOYED")]) },
    serverNow: () => undefined,
  } as unknown as Platform;
}

describe("a database that is deleted", () => {
  it("is gone once neither the list nor its own read shows it, whatever an older status shows", async () => {
    const context = passWith({ goal: "absent" });
    expect(plannedBy(context, await database.observe(context, platform(false)))).toBe("settled");
    expect(plannedBy(context, await database.observe(context, platform(true)))).toBe("waiting Deleting");
  });
});

describe("a database that was adopted by its name, where the read of its state", () => {
  it.each([...UNCLEAR, MISSING])("%s, is not deployed", async (...failing) => {
    const context = passWith({ memory: { lastDeployment: undefined, state: undefined } });
    const observed = await database.observe(context, failingPlatform("listServiceStatuses", failing));
    expect(plannedBy(context, observed)).toBe("settled");
    expect(database.report(context, observed).ready.reason).toBe("NotObservable");
  });
});
