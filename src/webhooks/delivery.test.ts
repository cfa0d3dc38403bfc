import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readDelivery } from "./delivery.ts";

const A = "00000000-0000-4000-8000-00000000000a";
const B = "00000000-0000-4000-8000-00000000000b";
const read = (body: unknown) => readDelivery(JSON.stringify(body));

describe("[E12] a delivery", () => {
  it.each<[string, unknown, string, readonly string[]]>([
    ["documented", { event_type: "DEPLOYMENT_SUCCEEDED", payload: { application_id: A } }, "DEPLOYMENT_SUCCEEDED", [A]],
    [
      "documented, failed",
      { event_type: "DEPLOYMENT_FAILED", payload: { application_id: A } },
      "DEPLOYMENT_FAILED",
      [A],
    ],
    [
      "deployed",
      {
        created_at: "x",
        event_type: "DEPLOYMENT_CANCELLED",
        payload: { applications: [{ id: A, name: "a" }, { id: B }] },
      },
      "DEPLOYMENT_CANCELLED",
      [A, B],
    ],
    [
      "of both shapes",
      { event_type: "DEPLOYMENT_FAILURE", payload: { application_id: A, applications: [{ id: A }] } },
      "DEPLOYMENT_FAILURE",
      [A],
    ],
    [
      "in upper case",
      { event_type: "DEPLOYMENT_SUCCESSFUL", payload: { application_id: A.toUpperCase() } },
      "DEPLOYMENT_SUCCESSFUL",
      [A],
    ],
    ["of an unknown event", { event_type: "CLUSTER_ON_FIRE", payload: { application_id: A } }, "other", [A]],
    ["without an event", { payload: { application_id: A } }, "other", [A]],
    [
      "without ids",
      { event_type: "DEPLOYMENT_STARTED", payload: { databases: [{ id: A }] } },
      "DEPLOYMENT_STARTED",
      [],
    ],
    ["without a payload", { event_type: "DEPLOYMENT_STARTED" }, "DEPLOYMENT_STARTED", []],
    [
      "with some odd ids",
      {
        event_type: "DEPLOYMENT_STARTED",
        payload: { application_id: 7, applications: [null, "x", { id: "../app/" }, { id: B }] },
      },
      "DEPLOYMENT_STARTED",
      [B],
    ],
    [
      "with an odd list",
      { event_type: "DEPLOYMENT_STARTED", payload: { application_id: A, applications: "all" } },
      "DEPLOYMENT_STARTED",
      [A],
    ],
    ["that is no object", [1, 2], "other", []],
  ])("%s", (_name, body, event, ids) => {
    expect(read(body)).toEqual({ event, ids });
  });

  it.each([
    ["no JSON", "{"],
    ["nothing", ""],
    ["a bomb of brackets", "[".repeat(65_000)],
    ["a deep object", `${'{"payload":'.repeat(5_000)}1${"}".repeat(5_000)}`],
  ])("that is %s says nothing", (_name, text) => {
    expect(readDelivery(text)).toEqual({ event: "other", ids: [] });
  });

  it("names at most 500 applications, each once", () => {
    const applications = Array.from({ length: 900 }, (_, index) => ({
      id: `00000000-0000-4000-8000-${String(index % 600).padStart(12, "0")}`,
    }));
    expect(new Set(read({ payload: { applications } }).ids).size).toBe(500);
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readDelivery(text).ids).toEqual([]);
      }),
    );
  });
});
