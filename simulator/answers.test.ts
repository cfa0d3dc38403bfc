import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { listenerOf, startHarness, type World } from "../test/support/platform/env.ts";
import { casesOf, documented, full } from "../test/support/platform/operations.ts";
import { operationOf, operations, type OperationId } from "./base/operations.ts";
import { routes } from "./routes/index.ts";

const cases = casesOf({ ...documented, ...full });
const schemas = new Map(routes.map(({ operation, answer }) => [operation, answer]));

describe.each(["seed", "public"] as const)("with records of the %s profile", (profile) => {
  let world: World;
  let listener: ReturnType<typeof listenerOf>;
  const called = new Set<string | null>();
  beforeAll(async () => {
    world = await startHarness("full", "");
    listener = listenerOf(world);
    const helmValues = profile === "seed" ? "json" : "text";
    const records = { statusCodes: profile, records: profile, helmValues, routerKey: "router_id" };
    Object.assign(world.simulator.sim.settings.profile, records);
  });
  afterAll(() => world.close());

  it.each(cases)("%s answers according to its schema", async (_name, { call }) => {
    await call(listener.platform, world);
    const { status, text } = listener.heard();
    const id = world.calls().at(-1)?.operation as OperationId;
    called.add(id);
    const { publicStatus } = operationOf(id);
    expect(status, text).toBe(profile === "public" || publicStatus === 204 ? publicStatus : 200);
    const isJson = text !== "" && (profile === "seed" || id !== "createHelmDefaultValues");
    const body: unknown = isJson ? JSON.parse(text) : text || undefined;
    expect(schemas.get(id)?.safeParse(body).error).toBeUndefined();
  });

  it("every operation was called", () => {
    expect(called).toEqual(new Set(operations.map(({ id }) => id)));
  });
});
