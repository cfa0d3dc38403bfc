/** The name of an operation's target may lead to another object when its request ends. */
import { describe, expect, it } from "vitest";

import { answeringPlatform, operationContext, TARGET } from "../../../test/support/kinds/operation-contexts.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { Platform } from "../../platform/index.ts";
import { operation } from "./index.ts";
import { NOTHING_OBSERVED, type OperationContext } from "./model.ts";
import { markOf } from "./trace.ts";

const OTHER = "00000000-0000-4000-8000-0000000000e2";
const STARTED = "2026-11-21T09:59:00Z";
const deploy = { type: "DeployApplication", applicationRef: { name: "api" }, gitCommitId: "1a2b3c4" };
const before: ServiceStatus = { id: TARGET, state: "DEPLOYED", lastDeploymentDate: "2026-11-20T10:00:00Z" };

/** The target has not changed; the object that has its name now was just deployed. */
const platform = {
  ...answeringPlatform({}),
  applications: {
    status: (id: string) =>
      Promise.resolve(id === TARGET ? before : { ...before, id, lastDeploymentDate: "2026-11-21T09:59:30Z" }),
    deploy: (id: string) => Promise.resolve({ ...before, id, state: "DEPLOYMENT_QUEUED" }),
  },
} as unknown as Platform;

const context = (memory: OperationContext["memory"]): OperationContext =>
  operationContext(deploy, { memory, inputs: { targetId: OTHER } });

describe("an operation whose target was replaced under its name", () => {
  const started = { startedAt: STARTED, targetId: TARGET };

  it("traces an unconfirmed request at the target that it was sent to", async () => {
    const intent = { op: "deployApplication", creates: false, mark: markOf({ ...NOTHING_OBSERVED, status: before }) };
    const open = { ...intent, parentId: undefined, name: undefined, id: undefined, commit: undefined };
    expect((await operation.trace(open, context(started), platform)).is).toBe("absent");
  });

  it("follows an accepted request at the target that it was sent to, and keeps reporting that target", async () => {
    const request = { startedAt: STARTED, baseline: JSON.stringify([before.lastDeploymentDate, null, null]) };
    const following = context({ ...started, request });
    const observed = await operation.observe(following, platform);
    expect(observed).toMatchObject({ status: { id: TARGET } });
    expect(operation.report(following, observed).status).toMatchObject({ targetId: TARGET });
    expect(operation.plan(following, observed).is).toBe("waiting");
  });

  it("is carried out on the object that has the name when it begins", async () => {
    const waiting = context(started);
    const observed = await operation.observe(waiting, platform);
    const planned = operation.plan(waiting, observed);
    if (planned.is !== "step") throw new Error("nothing is to be done");
    const { memory } = await operation.act(planned.step, waiting, observed, platform);
    expect(memory).toMatchObject({ targetId: OTHER });
    expect(operation.report(context(memory), observed).status).toMatchObject({ targetId: OTHER });
  });
});
