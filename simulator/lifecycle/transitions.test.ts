import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { platformEnv, type PlatformEnv } from "../../test/support/env/simulated-platform.ts";
import { judge, serviceKinds, type Action } from "../model/actions.ts";
import { isInProgress, serviceStates } from "../model/states.ts";
import { showStatus } from "../request/render.ts";
import { cancel } from "./deployments.ts";

const action = fc.constantFrom<Action>("deploy", "stop", "restart", "delete");
const failure = fc.constantFrom<Action | "build">("build", "deploy", "stop", "restart", "delete");
const command = fc.oneof(
  fc.record({ do: fc.constant("create" as const), kind: fc.constantFrom(...serviceKinds) }),
  fc.record({
    do: fc.constant("order" as const),
    service: fc.nat(5),
    action,
    principal: fc.constantFrom("me", "you"),
    commit: fc.constantFrom("abcdef1", "badc0de"),
  }),
  fc.record({ do: fc.constant("cancel" as const), request: fc.nat(5) }),
  fc.record({ do: fc.constant("fail" as const), service: fc.nat(5), failure }),
  fc.record({ do: fc.constant("wait" as const), seconds: fc.integer({ min: 0, max: 40 }) }),
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

async function run(env: PlatformEnv, step: Command): Promise<void> {
  const services = [...env.sim.world.services.values()];
  switch (step.do) {
    case "create":
      env.service(step.kind, `service-${env.sim.ids.hex(4)}`);
      break;
    case "order": {
      const service = services[step.service];
      if (service === undefined || judge(step.action, service.state, "queue").is !== "accepted") return;
      env.order(step.action, [service], step);
      break;
    }
    case "cancel": {
      const request = [...env.sim.world.requests.values()][step.request];
      if (request !== undefined) cancel(env.sim, request);
      break;
    }
    case "fail":
      services[step.service]?.failNext.push(step.failure);
      break;
    case "wait":
      await env.wait(step.seconds);
      break;
    default:
      step satisfies never;
  }
}

function checkInvariants({ sim, environment }: PlatformEnv): void {
  const { queue } = environment;
  const states: ReadonlySet<string> = new Set(serviceStates);
  const services = [...sim.world.services.values()];
  const requests = [...sim.world.requests.values()];
  const begun = queue.flatMap(({ stage }, index) => (stage === "working" || stage === "canceling" ? [index] : []));
  const orphans = services.filter(
    ({ id, state }) =>
      isInProgress(state) && !queue.some(({ targets }) => targets.some((each) => each.serviceId === id)),
  );
  expect([[], [0]]).toContainEqual(begun);
  expect(queue.filter(({ stage }) => stage === "finished")).toEqual([]);
  expect(orphans).toEqual([]);
  expect(
    [...services.map(({ state }) => state), ...requests.map(({ status }) => status)].filter((s) => !states.has(s)),
  ).toEqual([]);
  const counts = services.map((service) => Number(showStatus(sim, service)["deployment_requests_count"]));
  expect(counts.filter((count) => !(count >= 0 && count <= queue.length))).toEqual([]);
}

describe("the state machine under random commands", () => {
  it("keeps states within the enumeration, one head per environment and counts at or above zero", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (steps) => {
        const env = platformEnv();
        for (const step of steps) {
          await run(env, step);
          checkInvariants(env);
        }
        await env.wait(100_000);
        checkInvariants(env);
        expect(env.environment.queue).toEqual([]);
        for (const service of env.sim.world.services.values()) expect(isInProgress(service.state)).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  it("passes the same states at instant and at finite speed", async () => {
    const paths = await Promise.all(
      (["instant", 1, 60] as const).map(async (speed) => {
        const env = platformEnv({ speed });
        const app = env.service("application", "web");
        const database = env.service("database", "db");
        const request = env.order("deploy", [app, database]);
        await env.wait(1000);
        return [app.id, database.id, request.id].map((id) => env.path(id));
      }),
    );
    expect(paths[1]).toEqual(paths[0]);
    expect(paths[2]).toEqual(paths[0]);
  });
});
