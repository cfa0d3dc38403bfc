import { describe, expect, it } from "vitest";

import { capabilitiesOn } from "../../../test/support/kinds/supports.ts";
import { passWith, plannedBy, record, statusOf } from "../../../test/support/services/databases.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
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

describe("a database that is deleted", () => {
  it("is gone once neither the list nor its own read shows it, whatever an older status shows", async () => {
    const context = passWith({ goal: "absent" });
    expect(plannedBy(context, await database.observe(context, platform(false)))).toBe("settled");
    expect(plannedBy(context, await database.observe(context, platform(true)))).toBe("waiting Deleting");
  });
});
