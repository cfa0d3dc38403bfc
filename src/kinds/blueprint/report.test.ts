import { describe, expect, it } from "vitest";

import { NOW, print, REQUEST, statusOf } from "../../../test/support/services/applications.ts";
import { ago, listed, observedIn, passWith, SERVICE } from "../../../test/support/services/blueprints.ts";
import { blueprint } from "./index.ts";

const asked = { startedAt: ago(1), baseline: "[null,null,null]" };
const conditionOf = (
  context: Parameters<typeof blueprint.report>[0],
  observed: Parameters<typeof blueprint.report>[1],
  type: string,
) => blueprint.report(context, observed).conditions.find((one) => one.type === type);

describe("the status of a blueprint", () => {
  it("shows nothing of a service that is not recorded, except the check of the spec", () => {
    const context = passWith({ identitySource: "given", spec: { engine: "Helm", specOverrides: { backend: 1 } } });
    const { status, conditions } = blueprint.report(context, observedIn("DEPLOYED"));
    expect(status).toEqual({});
    expect(conditions.map(({ type }) => type)).toEqual(["ConfigValid"]);
  });

  it("follows the first request only, and ends it with its state", () => {
    const busy = observedIn("DEPLOYING", {
      status: statusOf("DEPLOYING", { id: SERVICE, deploymentRequestId: REQUEST }),
    });
    const context = passWith({ memory: { lastDeployment: asked } });
    const followed = { startedAt: ago(1), state: "DEPLOYING", requestId: REQUEST };
    expect(blueprint.report(context, busy).status["lastDeployment"]).toEqual(followed);
    const ended = { ...asked, requestId: REQUEST, state: "DEPLOYED", finishedAt: ago(0) };
    const over = passWith({ memory: { lastDeployment: ended } });
    expect(blueprint.report(over, observedIn("DEPLOYING")).status["lastDeployment"]).toEqual(ended);
    const unnamed = { ...asked, state: "DEPLOYED", finishedAt: ago(0) };
    expect(blueprint.report(passWith({ memory: { lastDeployment: unnamed } }), busy).status["lastDeployment"]).toEqual(
      unnamed,
    );
  });

  it("keeps the time of a failure, and forgets it once the service runs", () => {
    const failed = blueprint.report(passWith(), observedIn("DEPLOYMENT_ERROR")).status["lastFailure"];
    expect(failed).toMatchObject({ state: "DEPLOYMENT_ERROR", at: NOW.toISOString() });
    const requestId = statusOf("").deploymentRequestId!;
    const before = { state: "DEPLOYMENT_ERROR", message: "old", at: ago(5), requestId };
    const context = passWith({ memory: { lastFailure: before } });
    expect(blueprint.report(context, observedIn("DEPLOYMENT_ERROR")).status["lastFailure"]).toMatchObject({
      at: ago(5),
    });
    expect(blueprint.report(context, observedIn("DEPLOYED")).status["lastFailure"]).toBeUndefined();
  });

  it("remembers the service while the list does not show it", () => {
    expect(blueprint.report(passWith(), observedIn(undefined)).status["serviceId"]).toBe(SERVICE);
  });

  it("renews the fingerprint of the variables after a rotation of the token", () => {
    const inputs = { ...passWith().inputs, fingerprint: print("new", "key-2", "same") };
    const context = passWith({ inputs, memory: { written: { variables: print("old", "key-1", "same") } } });
    expect(blueprint.report(context, observedIn("DEPLOYED")).status["written"]).toMatchObject({
      variables: inputs.fingerprint,
    });
  });

  it.each([
    ["DEPLOYED", "True"],
    ["RESTARTED", "True"],
    ["DEPLOYMENT_ERROR", "False"],
    ["UNAVAILABLE", "Unknown"],
  ])("carries the platform's state verbatim: %s", (state, status) => {
    expect(conditionOf(passWith(), observedIn(state), "Deployed")).toMatchObject({ status, reason: state });
  });

  const others = observedIn("DEPLOYED", { siblings: [listed({ name: "x", icon: "y:z" })] });

  it.each([
    ["not at all while it is not shown", observedIn(undefined), undefined],
    ["by name and icon", others, ["spec.name", "spec.icon"]],
    ["not where it shows no icon", observedIn("DEPLOYED"), []],
    ["by its state once it is stopped", observedIn("STOPPED"), ["state"]],
  ])("reports drift: %s", (_name, observed, paths) => {
    const memory = { lastDeployment: { ...asked, finishedAt: ago(0) } };
    const { drift } = blueprint.report(passWith({ memory }), observed);
    expect(drift?.map(({ path }) => path)).toEqual(paths ?? []);
  });

  it("reports no drift on the documented surface, where nothing can be compared", () => {
    const context = passWith({ surface: "Documented" });
    const observed = observedIn(undefined, { siblings: undefined });
    expect(blueprint.report(context, observed).drift).toBeUndefined();
    expect(conditionOf(context, observed, "Deployed")).toMatchObject({ status: "Unknown", reason: "NotObservable" });
    expect(blueprint.report(context, observed).ready.reason).toBe("Available");
  });
});
