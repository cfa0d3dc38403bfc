import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { call as sendTo } from "../test/support/env/simulated-platform.ts";
import { listenerOf, startHarness, type World } from "../test/support/platform/env.ts";
import { casesOf, documented, full } from "../test/support/platform/operations.ts";
import { operationOf, operations, type OperationId } from "./base/operations.ts";
import { routes } from "./routes/index.ts";

const cases = casesOf({ ...documented, ...full });
const schemas = new Map(routes.map(({ operation, answer }) => [operation, answer]));

/** The operations that the operator does not call. */
const others: Readonly<Record<string, (world: World) => ReturnType<typeof sendTo>>> = {
  restartApplication: async ({ simulator, newApplication }) =>
    await sendTo(simulator, `POST /application/${await newApplication()}/restart-service`),
};

describe.each(["seed", "public"] as const)("the simulator with records of the %s profile", (profile) => {
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

  const expectAnswer = ({ status, text }: { readonly status: number; readonly text: string }) => {
    const id = world.calls().at(-1)?.operation as OperationId;
    called.add(id);
    const { publicStatus } = operationOf(id);
    expect(status, text).toBe(profile === "public" || publicStatus === 204 ? publicStatus : 200);
    const isJson = text !== "" && (profile === "seed" || id !== "createHelmDefaultValues");
    const body: unknown = isJson ? JSON.parse(text) : text || undefined;
    expect(schemas.get(id)?.safeParse(body).error).toBeUndefined();
  };

  it.each(cases)("answers %s according to its schema", async (_name, { call }) => {
    await call(listener.platform, world);
    expectAnswer(listener.heard());
  });

  it.each(Object.entries(others))("answers %s according to its schema", async (_name, call) => {
    expectAnswer(await call(world));
  });

  it("was tested with every operation", () => {
    expect(called).toEqual(new Set(operations.map(({ id }) => id)));
  });
});
