import { beforeAll, describe, expect, it, vi } from "vitest";

import type { FaultInput } from "../../src/simulator/faults.ts";
import type { CallEntry } from "../../src/simulator/journal.ts";
import { condition } from "../support/cluster.ts";
import { application, defaults, environment, project, tree } from "../support/manifests.ts";
import { calm, expectSettled, idOf } from "../support/settling.ts";
import { createStage } from "../support/stage.ts";

type Operation = "createProject" | "createEnvironment" | "createApplication" | "deployApplication";

const operations: readonly Operation[] = [
  "createProject",
  "createEnvironment",
  "createApplication",
  "deployApplication",
];

const losses: readonly { readonly what: string; readonly fault: Omit<FaultInput, "match"> }[] = [
  { what: "is applied, but its answer is lost", fault: { effect: "applied", answer: { is: "reset" } } },
  { what: "lands late", fault: { effect: "late", lateSeconds: 1, answer: { is: "reset" } } },
  { what: "is lost before its effect", fault: { effect: "none", answer: { is: "reset" } } },
  { what: "is applied and answered with 502", fault: { effect: "applied", answer: { is: "status", status: 502 } } },
  { what: "is applied and answered with half a body", fault: { effect: "applied", answer: { is: "truncated" } } },
];

/** What the operation did to the platform: once and no more, whatever was sent. */
function done(calls: readonly CallEntry[], operation: Operation): number {
  const effect = operation === "deployApplication" ? "deployed" : "created";
  return calls
    .filter((call) => call.operation === operation)
    .flatMap(({ effects }) => effects)
    .filter((one) => effect in one).length;
}

/** No platform that cannot list applications can tell whether one was created. */
function cannotBeKnown(surface: string, operation: Operation): boolean {
  return surface === "documented" && operation === "createApplication";
}

describe.each(["documented", "full"] as const)("a write of unknown outcome, %s surface", (surface) => {
  const stage = createStage({ surface });
  const rows = operations
    .filter((operation) => !cannotBeKnown(surface, operation))
    .flatMap((operation) =>
      losses.map((loss, index) => ({ operation, ...loss, name: `${operation.toLowerCase()}-${index}` })),
    );

  beforeAll(async () => {
    await stage.apply(...defaults(stage));
  });

  it.each(rows)("$operation that $what happens exactly once", async ({ operation, fault, name }) => {
    const record = await stage.record();
    stage.platform.sim.faults.add({ ...fault, name, match: { operation } });
    await stage.apply(...tree(stage, name));
    await expectSettled(stage, name);
    expect(record.calls(operation).filter((call) => call.fault === name)).toHaveLength(1);
    for (const each of operations) expect(done(record.calls(), each), each).toBe(1);
  });
});

describe("an application whose creation nobody can find out about, documented surface", () => {
  const stage = createStage({ surface: "documented" });

  /** @returns the one record of that name on the platform. */
  const idOnPlatform = (name: string): string | undefined =>
    [...stage.platform.world().services.values()].find((service) => service.name === name)?.id;

  it.each(losses.map((loss, index) => ({ ...loss, name: `lost-${index}` })))(
    "that $what: says CreateResultUnknown and the two ways out, and sends nothing more",
    async ({ fault, name }) => {
      await stage.apply(
        ...defaults(stage, { allowUnverifiedIds: true }),
        project(name),
        environment(stage, name, name),
      );
      await stage.waitFor("PlatformEnvironment", name, { status: "True" });
      const record = await stage.record();
      stage.platform.sim.faults.add({ ...fault, name, match: { operation: "createApplication" } });
      await stage.apply(application(name, name));
      const stalled = await stage.waitFor("PlatformApplication", name, { reason: "CreateResultUnknown" });
      expect(condition(stalled, "Stalled")).toMatchObject({ status: "True" });
      expect(condition(stalled, "Ready")?.message).toMatch(/spec\.externalId.*platform-operator\.io\/resolve=recreate/);
      await vi.waitFor(() => {
        expect(idOnPlatform(name) !== undefined).toBe(fault.effect !== "none");
      });
      await calm(stage);
      await stage.quiet(2);
      expect(record.changes()).toEqual(["createApplication"]);

      // What the message asks for: look whether it is there, then say so.
      const id = idOnPlatform(name);
      if (id === undefined)
        await stage.annotate("PlatformApplication", name, { "platform-operator.io/resolve": "recreate" });
      else await stage.patch("PlatformApplication", name, { spec: { externalId: id } });
      const ready = await stage.waitFor("PlatformApplication", name, { status: "True" });
      expect(idOf(ready)).toBe(idOnPlatform(name));
      expect(ready.metadata.annotations?.["platform-operator.io/intent"]).toBeUndefined();
      expect(ready.metadata.annotations?.["platform-operator.io/resolve"]).toBeUndefined();
      expect(done(record.calls(), "createApplication")).toBe(1);
      expect(done(record.calls(), "deployApplication")).toBe(1);
    },
  );
});

describe.each(["documented", "full"] as const)("SIGKILL of the operator, %s surface", (surface) => {
  // Without a lease, whose time would have to run out first.
  const stage = createStage({ surface, args: ["--leader-elect=false"] });
  const effects = ["applied", "none"] as const;
  const rows = operations
    .filter((operation) => !cannotBeKnown(surface, operation))
    .flatMap((operation) =>
      effects.map((effect) => ({ operation, effect, name: `${operation.toLowerCase()}-${effect}` })),
    );

  it.each(rows)("while $operation (effect: $effect) is on its way: once, and all converge", async (row) => {
    const { operation, effect, name } = row;
    const record = await stage.record();
    stage.platform.sim.faults.add({ name, match: { operation }, effect, answer: { is: "slow", seconds: 6 } });
    await stage.apply(...defaults(stage), ...tree(stage, name));
    await vi.waitFor(
      () => {
        expect(record.calls(operation).filter((call) => call.fault === name)).toHaveLength(1);
      },
      { timeout: 15_000, interval: 5 },
    );
    await stage.kill();
    await stage.start();
    await expectSettled(stage, name);
    for (const each of operations) expect(done(record.calls(), each), each).toBe(1);
  });
});
