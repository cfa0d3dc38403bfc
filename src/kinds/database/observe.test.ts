import { describe, expect, it } from "vitest";

import { platformWith } from "../../../test/support/kinds/platform.ts";
import { deployment, contextWith, plannedBy, record, statusOf } from "../../../test/support/services/databases.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import type { DatabaseMemory } from "./crd.ts";
import { database } from "./index.ts";

const missing = () => Promise.reject(new ApiError("getDatabase", { is: "NotFound" }, 404, "not found"));

/** A platform whose shared statuses are older than its list. */
function platform(isListed: boolean): Platform {
  return platformWith({
    databases: { list: () => Promise.resolve(isListed ? [record()] : []), get: missing },
    services: { statuses: () => Promise.resolve([statusOf("DELETING")]) },
  });
}

/** How a platform answers a read. */
type Failing = readonly [is: "Forbidden" | "Server" | "BadResponse" | "NotSupported", status: number];

const FORBIDDEN: Failing = ["Forbidden", 403];
const FAILED: Failing = ["Server", 503];
const GARBAGE: Failing = ["BadResponse", 200];
const MISSING: Failing = ["NotSupported", 405];

/** A platform that lists the database and answers one other read with a failure. */
function failingPlatform(operation: OperationName, [is, status]: Failing, state = "DEPLOYED"): Platform {
  const answer = async <T>(op: OperationName, value: T): Promise<T> => {
    if (op !== operation) return await Promise.resolve(value);
    throw new ApiError(op, { is }, status, "no");
  };
  return platformWith({
    databases: {
      list: () => Promise.resolve([record()]),
      credentials: () => answer("getDatabaseCredentials", { host: "db", port: 5432, username: "u", password: "p" }),
    },
    services: { statuses: () => answer("listServiceStatuses", [statusOf(state)]) },
  });
}

it("a database that is deleted is gone once neither the list nor its own read shows it, whatever an older status shows", async () => {
  const context = contextWith({ goal: "absent" });
  expect(plannedBy(context, await database.observe(context, platform(false)))).toBe("settled");
  expect(plannedBy(context, await database.observe(context, platform(true)))).toBe("waiting Deleting");
});

it.each<[string, Failing]>([
  ["is forbidden", FORBIDDEN],
  ["fails", FAILED],
  ["is not as documented", GARBAGE],
  ["is not offered", MISSING],
])("a database that was adopted by its name is not deployed where the read of its state %s", async (_how, failing) => {
  const context = contextWith({ memory: { lastDeployment: undefined, state: undefined } });
  const observed = await database.observe(context, failingPlatform("listServiceStatuses", failing));
  expect(plannedBy(context, observed)).toBe("settled");
  expect(database.report(context, observed).ready.reason).toBe("NotObservable");
});

describe("the connection Secret of a database", () => {
  const spec = { writeConnectionSecretToRef: { name: "main-connection" } };
  const reported = async (operation: OperationName, failing: Failing, memory: DatabaseMemory = {}) => {
    const context = contextWith({ spec, memory });
    return database.report(context, await database.observe(context, failingPlatform(operation, failing)));
  };

  const [CREDENTIALS, STATUSES] = ["getDatabaseCredentials", "listServiceStatuses"] as const;
  const IDS = ["id", "name", "environmentId", "environment"];
  const unknown = { lastDeployment: undefined, state: undefined };
  const [secretName, { startedAt }] = ["main-connection", deployment()];
  const written = { connectionSecret: { secretName, generation: 1, startedAt, resourceVersion: "9" } };
  const exists = { ...unknown, connectionSecret: { secretName, generation: 0, resourceVersion: "9" } };

  it.each<[string, OperationName, Failing, DatabaseMemory, readonly string[] | undefined, reason?: string]>([
    ["is not written while the credentials are forbidden", CREDENTIALS, FORBIDDEN, {}, undefined, "PermissionDenied"],
    ["is not written while their read fails", CREDENTIALS, FAILED, {}, undefined, "PlatformUnavailable"],
    ["is not written while they are not as documented", CREDENTIALS, GARBAGE, {}, undefined, "UnexpectedResponse"],
    ["is not written while the state is unknown", STATUSES, FAILED, unknown, undefined, "NotObservable"],
    ["is not written where nothing shows the state", STATUSES, MISSING, unknown, undefined, "NotObservable"],
    ["is not changed there if it exists", STATUSES, MISSING, exists, undefined, "NotObservable"],
    ["has ids and names where the platform offers no credentials", CREDENTIALS, MISSING, {}, IDS],
    ["has them where no deployment is known, too", CREDENTIALS, MISSING, { lastDeployment: undefined }, IDS],
    ["is not written again while nothing changes", CREDENTIALS, MISSING, written, undefined],
  ])("%s", async (_what, operation, failing, memory, keys, reason) => {
    const { secret, conditions } = await reported(operation, failing, memory);
    expect(secret && Object.keys(secret.data)).toEqual(keys);
    const details = conditions.find(({ type, status }) => type === "ConnectionDetails" && status === "Unknown");
    expect(details?.reason).toBe(reason);
  });

  it("is written again after somebody changed it, with its labels, and its new version is remembered", async () => {
    const metadata = { labels: { team: "shop" } };
    const own = { writeConnectionSecretToRef: { name: secretName, metadata } };
    const context = contextWith({ spec: own, memory: written, isSecretChanged: true });
    const { secret } = database.report(
      context,
      await database.observe(context, failingPlatform("listClusters", FAILED)),
    );
    expect(secret).toMatchObject({ name: secretName, metadata, data: { password: expect.any(String) } });
    const { connectionSecret } = written;
    expect(secret?.status("10")).toEqual({ connectionSecret: { ...connectionSecret, resourceVersion: "10" } });
  });

  it.each<[string, readonly string[] | undefined]>([
    ["DEPLOYED", [...IDS, "host", "port", "username", "password"]],
    ["STOPPED", undefined],
    ["DEPLOYMENT_ERROR", undefined],
    ["STOP_ERROR", undefined],
  ])("of an earlier generation is replaced in the state %s by one with %j", async (state, keys) => {
    const context = contextWith({ spec, memory: written, generation: 2 });
    const observed = await database.observe(context, failingPlatform("listClusters", FAILED, state));
    const { secret } = database.report(context, observed);
    expect(secret && Object.keys(secret.data)).toEqual(keys);
  });
});
