import { describe, expect, it } from "vitest";

import { statusOf } from "../../../test/support/services/applications.ts";
import {
  ago,
  BLUEPRINT,
  listed,
  observedIn,
  passWith,
  planned,
  SERVICE,
} from "../../../test/support/services/blueprints.ts";
import type { BlueprintMemory } from "./crd.ts";
import { blueprint } from "./index.ts";
import type { BlueprintContext, Observed } from "./model.ts";

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
const fresh = statusOf("READY", { lastDeploymentDate: undefined as never, executionId: undefined as never });
const untouched = observedIn("READY", { status: { ...fresh, id: SERVICE } });
const unlisted = (minutes: number): BlueprintMemory => ({ serviceId: undefined, createdAt: ago(minutes) });
const nowhere = observedIn(undefined);
const gone = observedIn(undefined, { isGone: true });

describe("a blueprint that exists", () => {
  it.each<[string, BlueprintContext, Observed, string]>([
    ["runs", passWith(), observedIn("DEPLOYED"), "settled"],
    ["was never to be deployed", passWith(), observedIn("READY"), "settled"],
    ["is at work", passWith(), observedIn("DEPLOYING"), "waiting Deploying"],
    ["is in no state that anybody knows", passWith(), observedIn("HIBERNATING"), "unknown UnknownState"],
    ["failed", passWith(), observedIn("DEPLOYMENT_ERROR"), "stalled DeploymentFailed"],
    ["failed to stop", passWith(), observedIn("STOP_ERROR"), "stalled StopFailed"],
    ["was stopped", passWith({ memory: ran }), observedIn("STOPPED"), "stalled DriftDetected"],
    ["was uninstalled", passWith({ memory: ran }), observedIn("DELETED"), "stalled DriftDetected"],
    [
      "was stopped, as it may",
      passWith({ memory: ran, spec: { deployOnCreate: false } }),
      observedIn("STOPPED"),
      "settled",
    ],
    [
      "was stopped, and keeps the choice",
      passWith({ memory: ran, spec: unsaid }),
      observedIn("STOPPED"),
      "stalled DriftDetected",
    ],
    ["was stopped, and never was to run", passWith(), observedIn("STOPPED"), "settled"],
    ["was stopped, and was adopted", passWith({ memory: takenOver }), observedIn("STOPPED"), "stalled DriftDetected"],
    [
      "was adopted, and the spec has no deployOnCreate",
      passWith({ memory: takenOver, spec: unsaid }),
      observedIn("STOPPED"),
      "settled",
    ],
    ["is listed without a state", passWith(), observedIn("DEPLOYED", { status: undefined }), "waiting Progressing"],
    ["was to be deployed a minute ago", passWith({ memory: asked(1) }), untouched, "waiting Progressing"],
    ["was to be deployed an hour ago", passWith({ memory: asked(60) }), untouched, "stalled DeploymentFailed"],
    ["is not listed yet", passWith({ memory: unlisted(1) }), nowhere, "waiting Progressing"],
    ["was never listed", passWith({ memory: unlisted(60) }), nowhere, "stalled ExternalResourceDeleted"],
    ["is not listed any more", passWith(), nowhere, "stalled ExternalResourceDeleted"],
    ["is gone, and wanted back", passWith({ onMissing: "Recreate" }), gone, "forget ExternalResourceDeleted"],
    ["is gone, and not wanted back", passWith(), gone, "stalled ExternalResourceDeleted"],
    [
      "may be gone, and is wanted back",
      passWith({ onMissing: "Recreate" }),
      nowhere,
      "stalled ExternalResourceDeleted",
    ],
    [
      "belongs to somebody else",
      passWith({ holderOf: () => "shop/other" }),
      observedIn("DEPLOYED"),
      "stalled AlreadyManaged",
    ],
    [
      "is claimed under another name",
      passWith({ identitySource: "claimed" }),
      observedIn("DEPLOYED", { siblings: [listed({ name: "other" })] }),
      "stalled NameConflict",
    ],
    ["is claimed", passWith({ identitySource: "claimed" }), observedIn("DEPLOYED"), "adopt"],
    ["is claimed, and not there", passWith({ identitySource: "claimed" }), nowhere, "stalled InvalidSpec"],
  ])("and %s", (_name, context, observed, expected) => {
    expect(planned(context, observed)).toBe(expected);
  });

  it("reports what changed since it was created", () => {
    const sent = { settings: { "spec.name": '"cache"', "spec.tag": '"old"', "spec.specOverrides": "{}" } };
    const next = blueprint.plan(passWith({ memory: { written: sent } }), observedIn("DEPLOYED"));
    expect(next).toMatchObject({ is: "stalled", why: { reason: "UpdateNotSupported" } });
    expect("why" in next && next.why.message).toContain(": spec.icon, spec.tag cannot be changed");
  });
});

describe("a blueprint that does not exist yet", () => {
  const anew = (change: Parameters<typeof passWith>[0] = {}) =>
    passWith({
      id: undefined,
      identitySource: undefined,
      memory: { createdAt: undefined, serviceId: undefined },
      ...change,
    });

  it.each<[string, BlueprintContext, Observed, string]>([
    ["is created", anew(), nowhere, "createBlueprint"],
    ["is created where there is no list", anew({ surface: "Documented" }), nowhere, "createBlueprint"],
    ["is taken over by its name", anew(), observedIn("DEPLOYED"), "adopt"],
    ["is in the way of itself", anew({ adoption: "Never" }), observedIn("DEPLOYED"), "stalled NameConflict"],
    ["is not to be created", anew({ adoption: "Required" }), nowhere, "waiting DependencyNotReady"],
    ["would be refused", anew({ spec: { engine: "Terraform" } }), nowhere, "stalled InvalidSpec"],
    [
      "is taken over, though it would be refused",
      anew({ spec: { engine: "Terraform" } }),
      observedIn("DEPLOYED"),
      "adopt",
    ],
    ["has no environment here", anew(), { ...nowhere, environmentIsOurs: false }, "stalled InvalidSpec"],
  ])("and %s", (_name, context, observed, expected) => {
    expect(planned(context, observed)).toBe(expected);
  });

  it("is created once: what is sent is recorded before, without values", () => {
    const variables = [{ name: "password", value: "s3cret-value", isSecret: true }];
    const inputs = { ...anew().inputs, variables };
    const next = blueprint.plan(anew({ inputs, spec: unsaid }), nowhere);
    expect(next).toMatchObject({
      step: {
        repeat: "once",
        creates: true,
        name: "cache",
        mark: {
          absentAt: null,
          deploys: false,
          written: {
            settings: { "spec.tag": '"redis/3.0.0"', "spec.specOverrides": "{}" },
            variables: { digest: "none" },
          },
        },
      },
    });
    expect(JSON.stringify(next)).not.toContain("s3cret-value");
  });
});

describe("the deletion of a blueprint", () => {
  it.each<[string, BlueprintContext, Observed, string]>([
    ["is there", passWith({ goal: "absent" }), observedIn("DEPLOYED"), "stalled DeleteNotSupported"],
    ["is to stop", passWith({ goal: "stopped" }), observedIn("DEPLOYED"), "stalled NotSupportedByApi"],
    ["is gone", passWith({ goal: "absent" }), nowhere, "settled"],
    ["is not listed yet", passWith({ goal: "absent", memory: unlisted(1) }), nowhere, "stalled DeleteNotSupported"],
    [
      "cannot be seen",
      passWith({ goal: "absent", surface: "Documented" }),
      { ...nowhere, siblings: undefined },
      "stalled DeleteNotSupported",
    ],
    ["was never created", passWith({ goal: "absent", id: undefined }), nowhere, "settled"],
    [
      "is only claimed, outside the connection's projects",
      passWith({ goal: "absent", identitySource: "claimed", allowedProjects: [] }),
      observedIn("DEPLOYED", { projectId: BLUEPRINT }),
      "stalled NotObservable",
    ],
  ])("and %s", (_name, context, observed, expected) => {
    expect(planned(context, observed)).toBe(expected);
  });
});
