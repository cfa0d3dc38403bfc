import { describe, expect, it } from "vitest";

import { print, statusOf } from "../../../test/support/services/applications.ts";
import {
  ago,
  BLUEPRINT,
  listed,
  observedIn,
  contextWith,
  plans,
  SERVICE,
} from "../../../test/support/services/blueprints.ts";
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

  const documented = { surface: "Documented" } as const;
  const others = { memory: { written: { variables: print("other") } } };
  const nameless = { ...contextWith().inputs, objects: [{ key: "size", value: "small" }] };

  plans([
    ["gets settings that changed", edited, observedIn("DEPLOYED"), "updateBlueprint"],
    ["gets them while it is at work", edited, observedIn("DEPLOYING"), "updateBlueprint"],
    ["gets them after a failure", edited, observedIn("DEPLOYMENT_ERROR"), "updateBlueprint"],
    ["gets them once in a reconcile", edited, observedIn("DEPLOYED", { updated: true }), "settled"],
    ["has settings that cannot be sent", { ...edited, ...documented }, unseen, "settled"],
    ["has settings that cannot be sent, unlisted", edited, unseen, "settled"],
    [
      "gets no overrides that would be refused",
      { ...edited, spec: { engine: "Terraform" } },
      observedIn("DEPLOYED"),
      "stalled InvalidSpec",
    ],
    ["gets variables that changed", rotated, observedIn("DEPLOYED"), "updateBlueprint"],
    ["has variables that cannot be sent", { ...rotated, ...documented }, unseen, UNCHANGED],
    ["has variables that cannot be sent, unlisted", rotated, unseen, "stalled NotObservable"],
    ["has variables without a name", { ...others, inputs: nameless }, observedIn("DEPLOYED"), UNCHANGED],
    ["has such variables, under way", { ...others, inputs: nameless }, observedIn("DEPLOYING"), "waiting Deploying"],
    ["has another name", {}, observedIn("DEPLOYED", { siblings: [listed({ name: "x" })] }), "updateBlueprint corrects"],
  ]);

  it("names the settings that changed and that nothing updates", () => {
    const { conditions } = blueprint.report(contextWith({ ...edited, ...documented }), unseen);
    const message: unknown = expect.stringContaining("Not changed there: spec.icon, spec.tag; ");
    const settings = { type: "SettingsSynced", status: "False", reason: "UpdateNotSupported", message };
    expect(conditions).toContainEqual(settings);
  });

  it("does not count the value of a Secret that a user changed to the limit of mass changes", () => {
    const written = { ...(blueprint.report(contextWith(), observedIn("DEPLOYED")).status["written"] as object) };
    const memory = { written: { ...written, variables: print("old", "k", "s@1") } };
    const inputs = { ...contextWith().inputs, fingerprint: print("new", "k", "s@2") };
    const next = blueprint.plan(contextWith({ memory, inputs }), observedIn("DEPLOYED"));
    expect(next).toMatchObject({ step: { op: "updateBlueprint", corrects: false, follows: true } });
  });
});

describe("the deployment of a blueprint", () => {
  const changed: BlueprintMemory = { ...ran, written: { revision: 1 } };
  const included: BlueprintMemory = { ...changed, lastDeployment: { ...ran.lastDeployment, settings: 1 } };
  const failed: BlueprintMemory = { lastDeployment: { ...ran.lastDeployment, state: "DEPLOYMENT_ERROR" } };
  const requested = { requested: "now" } as const;
  const retry = { limit: 1, backoffMs: 1000 } as const;
  const left = { spec: { deployOnCreate: false } };

  plans([
    ["follows the settings that were written", { memory: changed }, observedIn("DEPLOYED"), "deployBlueprint"],
    ["waits for the one under way", { memory: changed }, observedIn("DEPLOYING"), "waiting Deploying"],
    ["includes them", { memory: included }, observedIn("DEPLOYED"), "settled"],
    ["follows them after a failure", { memory: changed }, observedIn("DEPLOYMENT_ERROR"), "deployBlueprint"],
    ["is left to others", { ...left, memory: { written: { revision: 1 } } }, observedIn("READY"), "settled"],
    [
      "is theirs, of changes too, once the service runs",
      { ...left, memory: changed },
      observedIn("DEPLOYED"),
      "deployBlueprint",
    ],
    ["waits for the next start", { memory: changed }, observedIn("STOPPED"), DRIFT],
    [
      "starts what others stopped",
      { memory: ran, corrects: "Everything" },
      observedIn("STOPPED"),
      "deployBlueprint corrects",
    ],
    [
      "starts nothing that is left to others",
      { ...left, memory: ran, corrects: "Everything" },
      observedIn("STOPPED"),
      "settled",
    ],
    ["starts it on request", { ...requested, memory: ran }, observedIn("STOPPED"), "deployBlueprint"],
    ["is retried on request", { ...requested, memory: failed }, observedIn("DEPLOYMENT_ERROR"), "deployBlueprint"],
    ["is retried by policy", { retry, memory: failed }, observedIn("DEPLOYMENT_ERROR"), "deployBlueprint"],
    [
      "is made on request if the first one is not shown",
      { ...requested, memory: asked(60) },
      untouched,
      "deployBlueprint",
    ],
    ["is made on request after a cancellation", { ...requested, memory: ran }, observedIn("READY"), "deployBlueprint"],
    ["is made again by the annotation", { redeploy: "again", memory: ran }, observedIn("DEPLOYED"), "deployBlueprint"],
    [
      "is made once by the annotation",
      { redeploy: "again", memory: { ...ran, lastHandledRedeployAt: "again" } },
      observedIn("DEPLOYED"),
      "settled",
    ],
    [
      "has no operation",
      { surface: "Documented", redeploy: "again", memory: ran },
      observedIn("DEPLOYED", { siblings: undefined, status: undefined }),
      "settled",
    ],
  ]);

  it("is refused by the annotation where the platform has none", () => {
    const context = contextWith({ surface: "Documented", redeploy: "again", memory: ran });
    const { redeployRefusal } = blueprint.report(context, observedIn(undefined, { siblings: undefined }));
    expect(redeployRefusal).toBe("The platform's surface has no deployment of blueprints.");
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

  const documented = { surface: "Documented" } as const;
  const terraform = { siblings: [listed({ type: "TERRAFORM" })] };
  const stopped = { goal: "stopped" } as const;

  plans([
    ["is there", absent, observedIn("DEPLOYED"), "deleteHelm"],
    ["is of Terraform", absent, observedIn("DEPLOYED", terraform), "deleteTerraform"],
    ["is of a type that nobody knows", absent, observedIn("DEPLOYED", { siblings: [listed({ type: "JOB" })] }), KEPT],
    ["is at work", absent, observedIn("DEPLOYING"), "waiting Deploying"],
    ["was requested", absent, observedIn("DEPLOYED", { deleting: true }), "waiting Deleting"],
    ["is to stop", stopped, observedIn("DEPLOYED"), "stopHelm"],
    ["is stopped", stopped, observedIn("STOPPED"), "settled"],
    ["is to stop, of Terraform", stopped, observedIn("DEPLOYED", terraform), "stalled NotSupportedByPlatform"],
    ["is to stop, in no state", stopped, observedIn("DEPLOYED", { status: undefined }), "stalled NotObservable"],
    ["is to stop, unseen", { ...stopped, ...documented }, hidden, "stalled NotSupportedByPlatform"],
    ["is gone", absent, nowhere, "settled"],
    ["is not listed yet", { ...absent, memory: unlisted(1) }, nowhere, "waiting Progressing"],
    ["cannot be seen", { ...absent, ...documented }, hidden, KEPT],
    ["cannot be seen on Full", absent, hidden, KEPT],
    ["was never created", { ...absent, id: undefined }, nowhere, "settled"],
    ["is only claimed, outside the connection's projects", outside, elsewhere, "stalled NotObservable"],
  ]);
});
