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

describe("[E12] a delivery", () => {
  it.each<[string, unknown, string, readonly string[]]>([
    ["documented", about("DEPLOYMENT_SUCCEEDED", { application_id: A }), "DEPLOYMENT_SUCCEEDED", [A]],
    ["documented, failed", about("DEPLOYMENT_FAILED", { application_id: A }), "DEPLOYMENT_FAILED", [A]],
    ["deployed", { created_at: "x", ...about(CANCELLED, { applications }) }, CANCELLED, [A, B]],
    ["of both shapes", about("DEPLOYMENT_FAILURE", { application_id: A, applications }), "DEPLOYMENT_FAILURE", [A, B]],
    ["in upper case", about(STARTED, { application_id: A.toUpperCase() }), STARTED, [A]],
    ["of another event", about("DEPLOYMENT_SUCCESSFUL", { application_id: A }), "DEPLOYMENT_SUCCESSFUL", [A]],
    ["of an unknown event", about("CLUSTER_ON_FIRE", { application_id: A }), "other", [A]],
    ["without an event", { payload: { application_id: A } }, "other", [A]],
    ["of a database", about(STARTED, { databases: [{ id: A }], containers: [{ id: B }] }), STARTED, [A, B]],
    ["with ids of nothing that is deployed", about(STARTED, { organization_id: A, project: { id: B } }), STARTED, []],
    ["without ids", about(STARTED, { databases: [] }), STARTED, []],
    ["with a payload that is a list", about(STARTED, [{ id: A }]), STARTED, []],
    ["without a payload", { event_type: STARTED }, STARTED, []],
    ["with some odd ids", about(STARTED, { application_id: 7, applications: odd }), STARTED, [B]],
    ["with an odd list", about(STARTED, { application_id: A, applications: "all" }), STARTED, [A]],
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

  it("names at most 500 services, each once", () => {
    const applications = Array.from({ length: 900 }, (_, index) => ({
      id: `00000000-0000-4000-8000-${String(index % 600).padStart(12, "0")}`,
    }));
    expect(new Set(read({ payload: { applications } }).ids).size).toBe(500);
  });

  it("is read up to its 500th service, of all lists", () => {
    const malformed = Array.from({ length: 500 }, () => 0);
    const id = "00000000-0000-4000-8000-00000000000a";
    expect(read({ payload: { applications: [...malformed.slice(1), { id }] } }).ids).toEqual([id]);
    expect(read({ payload: { applications: [...malformed, { id }] } }).ids).toEqual([]);
    expect(read({ payload: { applications: malformed, databases: [{ id }] } }).ids).toEqual([]);
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readDelivery(text).ids).toEqual([]);
      }),
    );
  });
});
