import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readDelivery } from "./delivery.ts";

const A = "00000000-0000-4000-8000-00000000000a";
const B = "00000000-0000-4000-8000-00000000000b";
const STARTED = "DEPLOYMENT_STARTED";
const CANCELLED = "DEPLOYMENT_CANCELLED";
const applications = [{ id: A, name: "a" }, { id: B }];
const odd = [null, "x", { id: "../app/" }, { id: B }];
const about = (event: string, payload: object) => ({ event_type: event, payload });
const read = (body: unknown) => readDelivery(JSON.stringify(body));

describe("[E12] the body of a delivery", () => {
  it.each<[string, unknown, string, readonly string[]]>([
    ["as documented for a success", about("DEPLOYMENT_SUCCEEDED", { application_id: A }), "DEPLOYMENT_SUCCEEDED", [A]],
    ["as documented for a failure", about("DEPLOYMENT_FAILED", { application_id: A }), "DEPLOYMENT_FAILED", [A]],
    ["as the platform sends it", { created_at: "x", ...about(CANCELLED, { applications }) }, CANCELLED, [A, B]],
    [
      "in both shapes at once",
      about("DEPLOYMENT_FAILURE", { application_id: A, applications }),
      "DEPLOYMENT_FAILURE",
      [A, B],
    ],
    ["with an id in upper case", about(STARTED, { application_id: A.toUpperCase() }), STARTED, [A]],
    ["with another known event", about("DEPLOYMENT_SUCCESSFUL", { application_id: A }), "DEPLOYMENT_SUCCESSFUL", [A]],
    ["with an unknown event", about("CLUSTER_ON_FIRE", { application_id: A }), "other", [A]],
    ["without an event", { payload: { application_id: A } }, "other", [A]],
    [
      "with a database and a container",
      about(STARTED, { databases: [{ id: A }], containers: [{ id: B }] }),
      STARTED,
      [A, B],
    ],
    ["with ids of other things than services", about(STARTED, { organization_id: A, project: { id: B } }), STARTED, []],
    ["without ids", about(STARTED, { databases: [] }), STARTED, []],
    ["with a payload that is a list", about(STARTED, [{ id: A }]), STARTED, []],
    ["without a payload", { event_type: STARTED }, STARTED, []],
    ["with invalid ids", about(STARTED, { application_id: 7, applications: odd }), STARTED, [B]],
    ["with a text in place of a list", about(STARTED, { application_id: A, applications: "all" }), STARTED, [A]],
    ["as a list", [1, 2], "other", []],
  ])("is parsed %s", (_name, body, event, ids) => {
    expect(read(body)).toEqual({ event, ids });
  });

  it.each([
    ["invalid JSON", "{"],
    ["empty", ""],
    ["65,000 brackets", "[".repeat(65_000)],
    ["an object of 5,000 levels", `${'{"payload":'.repeat(5_000)}1${"}".repeat(5_000)}`],
  ])("is read without an event and ids when it is %s", (_name, text) => {
    expect(readDelivery(text)).toEqual({ event: "other", ids: [] });
  });

  it("yields at most 500 ids, each once", () => {
    const applications = Array.from({ length: 900 }, (_, index) => ({
      id: `00000000-0000-4000-8000-${String(index % 600).padStart(12, "0")}`,
    }));
    expect(new Set(read({ payload: { applications } }).ids).size).toBe(500);
  });

  it("is read up to its 500th service over all lists", () => {
    const malformed = Array.from({ length: 500 }, () => 0);
    const id = "00000000-0000-4000-8000-00000000000a";
    expect(read({ payload: { applications: [...malformed.slice(1), { id }] } }).ids).toEqual([id]);
    expect(read({ payload: { applications: [...malformed, { id }] } }).ids).toEqual([]);
    expect(read({ payload: { applications: malformed, databases: [{ id }] } }).ids).toEqual([]);
  });

  it("never makes readDelivery() throw", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readDelivery(text).ids).toEqual([]);
      }),
    );
  });
});
