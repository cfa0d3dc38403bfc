import { describe, expect, it } from "vitest";

import { OLD_REQUEST, print, REQUEST, statusOf } from "../../../test/support/services/applications.ts";
import { ago, listed, observedIn, contextWith, SERVICE } from "../../../test/support/services/blueprints.ts";
import type { BlueprintMemory } from "./crd.ts";
import { blueprint } from "./index.ts";

const asked = { startedAt: ago(1), baseline: "[null,null,null]" };

describe("the status of a blueprint", () => {
  it("shows nothing of a service that is not recorded, except the check of the spec", () => {
    const context = contextWith({ identitySource: "given", spec: { engine: "Helm", specOverrides: { backend: 1 } } });
    const { status, conditions } = blueprint.report(context, observedIn("DEPLOYED"));
    expect(status).toEqual({});
    expect(conditions.map(({ type }) => type)).toEqual(["ConfigValid"]);
  });

  it("follows the first request only, and ends it with its state", () => {
    const status = statusOf("DEPLOYING", { id: SERVICE, deploymentRequestId: REQUEST });
    const busy = observedIn("DEPLOYING", { status });
    const after = (lastDeployment: NonNullable<BlueprintMemory["lastDeployment"]>, observed = busy) =>
      blueprint.report(contextWith({ memory: { lastDeployment } }), observed).status["lastDeployment"];
    expect(after(asked)).toEqual({ startedAt: ago(1), state: "DEPLOYING", requestId: REQUEST });
    const ended = { ...asked, requestId: REQUEST, state: "DEPLOYED", finishedAt: ago(0) };
    expect(after(ended, observedIn("DEPLOYING"))).toEqual(ended);
    const unnamed = { ...asked, state: "DEPLOYED", finishedAt: ago(0) };
    expect(after(unnamed)).toEqual(unnamed);
  });

  it.each([
    ["Full", "request a retry with the annotation platform-operator.io/reconcile-requested-at"],
    ["Documented", "on the platform and deploy it there"],
  ] as const)("has the request of a failure, and says where to go on, on %s", (surface, advice) => {
    const { lastFailure } = blueprint.report(contextWith({ surface }), observedIn("DEPLOYMENT_ERROR")).status;
    const message: unknown = expect.stringContaining(advice);
    expect(lastFailure).toMatchObject({ state: "DEPLOYMENT_ERROR", requestId: OLD_REQUEST, message });
  });

  it("remembers the service while the list does not show it", () => {
    expect(blueprint.report(contextWith(), observedIn(undefined)).status["serviceId"]).toBe(SERVICE);
  });

  it("renews the fingerprint of the variables after the loss of the key", () => {
    const inputs = { ...contextWith().inputs, fingerprint: print("new", "key-2", "same") };
    const context = contextWith({ inputs, memory: { written: { variables: print("old", "key-1", "same") } } });
    const { written } = blueprint.report(context, observedIn("DEPLOYED")).status;
    expect(written).toMatchObject({ variables: inputs.fingerprint });
  });

  const others = observedIn("DEPLOYED", { siblings: [listed({ name: "x", icon: "y:z" })] });

  it.each([
    ["not at all while it is not shown", observedIn(undefined), undefined],
    ["by name and icon", others, ["spec.name", "spec.icon"]],
    ["not where it shows no icon", observedIn("DEPLOYED"), []],
    ["by its state once it is stopped", observedIn("STOPPED"), ["state"]],
  ])("reports drift: %s", (_name, observed, paths) => {
    const memory = { lastDeployment: { ...asked, finishedAt: ago(0) } };
    const { drift } = blueprint.report(contextWith({ memory }), observed);
    expect(drift?.map(({ path }) => path)).toEqual(paths ?? []);
  });

  it("reports no drift on the documented surface, where nothing can be compared", () => {
    const context = contextWith({ surface: "Documented" });
    const { drift, conditions, ready } = blueprint.report(context, observedIn(undefined, { siblings: undefined }));
    expect(drift).toBeUndefined();
    expect(conditions).toMatchObject([{ type: "Deployed", status: "Unknown", reason: "NotObservable" }]);
    expect(ready.reason).toBe("Available");
  });
});
