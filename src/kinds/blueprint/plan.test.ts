import { describe, expect, it } from "vitest";

import { print, statusOf } from "../../../test/support/services/applications.ts";
import { ago, BLUEPRINT, observedIn, contextWith, plans, SERVICE } from "../../../test/support/services/blueprints.ts";
import type { BlueprintMemory } from "./crd.ts";
import { blueprint } from "./index.ts";

/** A deployment that was requested with the create, this many minutes ago. */
const asked = (minutes: number): BlueprintMemory => ({
  createdAt: ago(minutes),
  lastDeployment: { startedAt: ago(minutes), baseline: "[null,null,null]" },
});
/** The service was deployed with its creation. */
const ran: BlueprintMemory = { lastDeployment: { startedAt: ago(60), state: "DEPLOYED", finishedAt: ago(59) } };
const takenOver: BlueprintMemory = { createdAt: undefined };
/** As after `kubectl replace` without the field. */
const unsaid = { deployOnCreate: undefined };
const idle = statusOf("READY", { lastDeploymentDate: undefined as never, executionId: undefined as never });
const untouched = observedIn("READY", { status: { ...idle, id: SERVICE } });
const unlisted = (minutes: number): BlueprintMemory => ({ serviceId: undefined, createdAt: ago(minutes) });
const nowhere = observedIn(undefined);
const gone = observedIn(undefined, { isGone: true });

const GONE = "stalled ExternalResourceDeleted";
const DRIFT = "stalled DriftDetected";
const FAILED = "stalled DeploymentFailed";
const UNCHANGED = "stalled UpdateNotSupported";

// What is the same for an application, as the claim to an id or a name, is in ../service/plan.test.ts.
describe("a blueprint that exists", () => {
  const recreated = { onMissing: "Recreate" } as const;
  const claimed = { identitySource: "claimed" } as const;

  plans([
    ["runs", {}, observedIn("DEPLOYED"), "settled"],
    ["was never to be deployed", {}, observedIn("READY"), "settled"],
    ["is at work", {}, observedIn("DEPLOYING"), "waiting Deploying"],
    ["is in no state that anybody knows", {}, observedIn("HIBERNATING"), "unknown UnknownState"],
    ["failed", {}, observedIn("DEPLOYMENT_ERROR"), FAILED],
    ["was stopped", { memory: ran }, observedIn("STOPPED"), DRIFT],
    ["was uninstalled", { memory: ran }, observedIn("DELETED"), DRIFT],
    ["was canceled", { memory: ran }, observedIn("READY"), "stalled Canceled"],
    ["was stopped, as it may", { memory: ran, spec: { deployOnCreate: false } }, observedIn("STOPPED"), "settled"],
    ["was stopped, and keeps the choice", { memory: ran, spec: unsaid }, observedIn("STOPPED"), DRIFT],
    ["was stopped, and never was to run", {}, observedIn("STOPPED"), "settled"],
    ["was stopped, and was adopted", { memory: takenOver }, observedIn("STOPPED"), DRIFT],
    ["was adopted without the choice", { memory: takenOver, spec: unsaid }, observedIn("STOPPED"), "settled"],
    [
      "is listed without a state",
      {},
      observedIn("DEPLOYED", { status: undefined, areStatesShown: true }),
      "waiting Progressing",
    ],
    ["was to be deployed a minute ago", { memory: asked(1) }, untouched, "waiting Progressing"],
    ["was to be deployed an hour ago", { memory: asked(60) }, untouched, FAILED],
    ["is not listed yet", { memory: unlisted(1) }, nowhere, "waiting Progressing"],
    ["was never listed", { memory: unlisted(60) }, nowhere, GONE],
    ["is not listed any more", {}, nowhere, GONE],
    ["is gone, and wanted back", recreated, gone, "forget ExternalResourceDeleted"],
    ["may be gone, and is wanted back", recreated, nowhere, GONE],
    ["is claimed", claimed, observedIn("DEPLOYED"), "adopt"],
    ["is claimed, and not there", claimed, nowhere, "stalled InvalidSpec"],
  ]);

  const sent = { settings: { "spec.name": '"cache"', "spec.tag": '"old"', "spec.specOverrides": "{}" } };
  /** Overrides that are null are those that were sent. */
  const edited = { spec: { specOverrides: null }, memory: { written: sent } } as const;
  const rotated = { memory: { written: { ...sent, variables: print("other") } } };
  const unseen = observedIn("DEPLOYED", { siblings: undefined, status: undefined });

  plans([
    ["has settings that cannot be sent", edited, observedIn("DEPLOYED"), "settled"],
    ["has such settings and failed", edited, observedIn("DEPLOYMENT_ERROR"), FAILED],
    ["has variables that cannot be sent", rotated, observedIn("DEPLOYED"), UNCHANGED],
    ["has such variables, unseen", { ...rotated, surface: "Documented" }, unseen, UNCHANGED],
    ["has such variables, under way", rotated, observedIn("DEPLOYING"), "waiting Deploying"],
    ["has such variables and failed", rotated, observedIn("DEPLOYMENT_ERROR"), FAILED],
  ]);

  it("names the settings that changed since it was created", () => {
    const { conditions } = blueprint.report(contextWith(edited), observedIn("DEPLOYED"));
    const message: unknown = expect.stringContaining("Not changed there: spec.icon, spec.tag; ");
    const settings = { type: "SettingsSynced", status: "False", reason: "UpdateNotSupported", message };
    expect(conditions).toContainEqual(settings);
  });
});

describe("a blueprint that does not exist yet", () => {
  const memory = { createdAt: undefined, serviceId: undefined };
  const fresh = { id: undefined, identitySource: undefined, memory } as const;
  const refused = { ...fresh, spec: { engine: "Terraform" } };

  plans([
    ["is created where there is no list", { ...fresh, surface: "Documented" }, nowhere, "createBlueprint"],
    ["would be refused", refused, nowhere, "stalled InvalidSpec"],
    ["is taken over, though it would be refused", refused, observedIn("DEPLOYED"), "adopt"],
  ]);

  it("is created once: what is sent is recorded before, without values", () => {
    const variables = [{ name: "password", value: "s3cret-value", isSecret: true }];
    const inputs = { ...contextWith().inputs, variables };
    const next = blueprint.plan(contextWith({ ...fresh, inputs, spec: unsaid }), nowhere);
    const settings = { "spec.tag": '"redis/3.0.0"', "spec.specOverrides": "{}" };
    const mark = { absentAt: null, deploys: false, written: { settings, variables: { digest: "none" } } };
    expect(next).toMatchObject({ step: { repeat: "once", creates: true, name: "cache", mark } });
    expect(JSON.stringify(next)).not.toContain("s3cret-value");
  });
});

describe("the deletion of a blueprint", () => {
  const absent = { goal: "absent" } as const;
  const KEPT = "stalled DeleteNotSupported";
  const hidden = { ...nowhere, siblings: undefined };
  const outside = { ...absent, identitySource: "claimed", allowedProjects: [] } as const;
  const elsewhere = observedIn("DEPLOYED", { projectId: BLUEPRINT });

  plans([
    ["is there", absent, observedIn("DEPLOYED"), KEPT],
    ["is to stop", { goal: "stopped" }, observedIn("DEPLOYED"), "stalled NotSupportedByPlatform"],
    ["is gone", absent, nowhere, "settled"],
    ["is not listed yet", { ...absent, memory: unlisted(1) }, nowhere, KEPT],
    ["cannot be seen", { ...absent, surface: "Documented" }, hidden, KEPT],
    ["was never created", { ...absent, id: undefined }, nowhere, "settled"],
    ["is only claimed, outside the connection's projects", outside, elsewhere, "stalled NotObservable"],
  ]);
});
