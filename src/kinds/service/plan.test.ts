/** The plans that applications and databases have in common; their own ones are in their plan.test.ts. */
import { describe } from "vitest";

import type { SpecChange } from "../../../test/support/kinds/contexts.ts";
import { planTable } from "../../../test/support/kinds/plans.ts";
import * as applications from "../../../test/support/services/applications.ts";
import * as databases from "../../../test/support/services/databases.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { ServiceContext, ServiceObserved } from "./model.ts";
import { serviceBaseline } from "./progress.ts";

type Change = SpecChange<ServiceContext>;

/** What is observed: the state, what else the status shows, and what differs in the records of the list. */
type Shown = Omit<Partial<ServiceObserved>, "status"> & {
  readonly state?: string;
  readonly status?: Partial<ServiceStatus>;
  readonly listed?: readonly object[];
};

/** Returns the plan of a kind in words without its noun and its commit: "deployDatabase" is "deploy". */
const planOf = (kind: typeof applications | typeof databases) => (change: Change, shown: Shown) => {
  const { state, status, listed = [{}], ...more } = shown;
  const observed = {
    status: state === undefined ? undefined : kind.statusOf(state, status),
    siblings: listed.map((each) => kind.record(each)),
    ...more,
  };
  const words = kind.planned(
    { surface: "Full", ...change } as never,
    kind.observedFull("", {}, observed as never) as never,
  );
  return words.replace(/(Application|Database)( [0-9a-f]{40})?/, "");
};

const OTHER = "00000000-0000-4000-8000-0000000000a2";
const UNPROVEN = "stalled NotObservable";
const MANAGED = "stalled AlreadyManaged";
const CONFLICT = "stalled NameConflict";
const GONE = "stalled ExternalResourceDeleted";
const DRIFT = "stalled DriftDetected";
const FAILED = "stalled DeploymentFailed";
const WAITS = "waiting DeploymentFailed";
const DENIED = "stalled PermissionDenied";

const toStop = { spec: { runState: "Stopped" } };
const isStopped = { memory: { runState: "Stopped" } } as const;
const everything = { corrects: "Everything" } as const;
const requested = { requested: "now" };
const isNew = { memory: { lastDeployment: undefined } };
const written = { memory: { written: { revision: 1 } } };
const held = { holderOf: () => "shop/other" };
const runs = { state: "DEPLOYED" };
const stopped = { state: "STOPPED" };
const broken = { state: "DEPLOYMENT_ERROR" };
const deleted = { state: "DELETED" };
const renamed = { ...runs, listed: [{ name: "web" }] };
const elsewhere = { projectId: "00000000-0000-4000-8000-0000000000e9" };
const noDeploy = { blockedOperations: new Set(["deployApplication", "deployDatabase"]) };

describe.each([
  ["an application", applications],
  ["a database", databases],
])("the plan of %s", (_noun, kind) => {
  const plans = planTable(planOf(kind));
  const last = (change: object = {}) => ({ memory: { lastDeployment: kind.deployment(change) } });
  const failed = (change: object = {}) => last({ state: "DEPLOYMENT_ERROR", ...change });

  describe("that exists", () => {
    const never = { state: "READY", status: { serviceDeploymentStatus: "NEVER_DEPLOYED" } };
    const open = { memory: { lastDeployment: kind.openDeployment() } };
    const noStop = { ...toStop, blockedOperations: new Set(["stopApplication", "stopDatabase"]) };

    plans([
      ["is deployed the first time", isNew, never, "deploy"],
      ["is not deployed where it is not to run", { ...isNew, ...toStop }, never, "settled"],
      ["is left as it was found", isNew, runs, "settled"],
      ["is left as it is, also on request", requested, runs, "settled"],
      ["is deployed for settings that were written since", written, runs, "deploy"],
      ["is not started for them", written, stopped, DRIFT],
      ["is followed", open, { ...runs, request: { status: "DEPLOYMENT_QUEUED" } }, "waiting Queued"],
      ["is in an unknown state", {}, { state: "PAUSED" }, "unknown UnknownState"],
      ["is deployed in an unknown state on request", requested, { state: "PAUSED" }, "deploy"],
      ["is stopped", toStop, runs, "stop"],
      ["is stopped after a failure", toStop, broken, "stop"],
      ["is stopped where others started it", { ...toStop, ...isStopped }, runs, "stop corrects"],
      ["is not stopped where that is blocked", noStop, runs, "settled"],
      ["is started after our own stop", { ...isStopped, ...everything }, stopped, "deploy"],
      ["is not started where others stopped it", {}, stopped, DRIFT],
      ["is started on request", { ...requested, ...everything }, stopped, "deploy"],
      ["is started where everything is corrected", everything, stopped, "deploy corrects"],
      ["is not started where that is blocked", { ...everything, ...noDeploy }, stopped, DRIFT],
      ["was uninstalled", {}, deleted, GONE],
      ["was uninstalled and is not to run", { ...requested, ...toStop }, deleted, GONE],
      ["is installed again on request", requested, deleted, "deploy"],
      ["is installed again where everything is corrected", everything, deleted, "deploy corrects"],
      ["is not installed again where that is blocked", { ...everything, ...noDeploy }, deleted, GONE],
      ["has settings that others changed", {}, renamed, "update corrects"],
      ["has settings that were sent in this reconcile", {}, { ...renamed, updated: true }, "settled"],
    ]);
  });

  describe("whose deployment failed", () => {
    const retry = { retry: { limit: 2, backoffMs: 60_000 } };
    const again = (change: object = {}) => ({ ...failed(change), ...retry });
    const open = { ...retry, memory: { lastDeployment: kind.openDeployment({ requestId: kind.OLD_REQUEST }) } };

    plans([
      ["is for a person without a policy", failed(), broken, FAILED],
      ["is deployed again on request", { ...requested, ...failed({ retry: "before" }) }, broken, "deploy"],
      ["is not deployed again for the same request", { ...requested, ...failed({ retry: "now" }) }, broken, FAILED],
      ["is deployed again once its time has come", again(), broken, "deploy"],
      ["is not where that is blocked", { ...again(), ...noDeploy }, broken, FAILED],
      ["waits for its time", again({ finishedAt: "2026-11-21T09:59:30.000Z" }), broken, WAITS],
      ["is for a person at the limit", again({ attempts: 2 }), broken, FAILED],
      ["is not deployed again at a limit of none", { ...failed(), retry: { limit: 0, backoffMs: 0 } }, broken, FAILED],
      ["is built again, too", again({ state: "BUILD_ERROR" }), { state: "BUILD_ERROR" }, "deploy"],
      ["is not where somebody canceled it", again({ state: "CANCELED" }), { state: "CANCELED" }, "stalled Canceled"],
      ["is not where others deployed it", { ...retry, ...last() }, broken, FAILED],
      ["is not where it was found so", again({ startedAt: undefined }), broken, FAILED],
      ["is not where its stop failed", retry, { state: "STOP_ERROR" }, "stalled StopFailed"],
      ["is stopped where it is to stop", { ...again(), ...toStop }, broken, "stop"],
      ["is seen to fail, and waits", open, { ...broken, request: { status: "DEPLOYMENT_ERROR" } }, WAITS],
    ]);
  });

  // What holds for every kind, as its creation and its deletion, is in test/model/kinds-contract.test.ts.
  describe("that is looked for", () => {
    const fresh = { id: undefined, identitySource: undefined, ...isNew } as const;
    const limited = { allowedProjects: [OTHER] };
    const given = { identitySource: "given" } as const;
    const claimed = { identitySource: "claimed" } as const;
    const left = { identitySource: "orphaned" } as const;
    const hidden = { ...runs, siblings: undefined };
    const accepted = { ...given, allowUnverifiedIds: true };
    const nowhere = { listed: [] };
    const gone = { ...nowhere, isGone: true };
    const unproven = { reason: "NotObservable", message: "said" } as const;
    const unshown = { ...nowhere, environmentIsOurs: false, unproven };

    plans([
      ["does not exist yet, but others do", fresh, { listed: [{ id: OTHER, name: "web" }] }, "create"],
      ["has the name of one", fresh, { listed: [{}] }, "adopt"],
      ["has the name of one that may not be taken", { ...fresh, adoption: "Never" }, { listed: [{}] }, CONFLICT],
      ["has the name of two", fresh, { listed: [{}, { id: OTHER }] }, "stalled DuplicateRemote"],
      ["has the name of one that is held", { ...fresh, ...held }, { listed: [{}] }, MANAGED],
      ["has to exist", { ...fresh, adoption: "Required" }, nowhere, "waiting DependencyNotReady"],
      ["is in another organization", fresh, { ...nowhere, environmentIsOurs: false }, "stalled InvalidSpec"],
      ["is in an environment that nothing shows", fresh, unshown, UNPROVEN],
      ["is outside of the projects", { ...fresh, ...limited }, { ...elsewhere, ...nowhere }, DENIED],
      ["is outside of them by now", limited, { ...runs, ...elsewhere }, DENIED],
      ["is gone", {}, gone, GONE],
      ["is gone and wanted back", { onMissing: "Recreate" }, gone, "forget ExternalResourceDeleted"],
      ["[E11] lies elsewhere", {}, { ...runs, ...nowhere }, UNPROVEN],
      ["belongs to another, too", held, runs, MANAGED],
      ["is given and not there", given, nowhere, "stalled InvalidSpec"],
      ["is given and listed", given, renamed, "adopt"],
      ["is given and not listed", given, hidden, UNPROVEN],
      ["is given and not listed, where such ids are accepted", accepted, hidden, "adopt"],
      ["is given and held", { ...accepted, ...held }, hidden, MANAGED],
      ["is claimed and has its name", claimed, runs, "adopt"],
      ["is claimed and has another name", claimed, renamed, CONFLICT],
      ["is claimed and not listed", claimed, hidden, UNPROVEN],
      ["was left and is not listed", left, hidden, "adopt"],
      ["was left and is held", { ...left, ...held }, hidden, MANAGED],
      ["was left and has another name", left, renamed, CONFLICT],
      ["was left and is gone", { ...left, onMissing: "Recreate" }, gone, GONE],
    ]);
  });

  describe("that is to be deleted", () => {
    const absent = { goal: "absent" } as const;
    const outside = { ...absent, identitySource: "claimed", allowedProjects: [OTHER] } as const;
    const unproven = { reason: "NotObservable", message: "said" } as const;
    const unshown = { listed: [], environmentIsOurs: false, unproven };

    plans([
      ["is gone", absent, { listed: [] }, "settled"],
      ["is in an environment that nothing shows", absent, unshown, UNPROVEN],
      ["was never created", { ...absent, id: undefined }, { listed: [] }, "settled"],
      ["failed", absent, { state: "BUILD_ERROR" }, "delete"],
      ["[E11] lies elsewhere", absent, { ...runs, listed: [] }, UNPROVEN],
      ["is at work", absent, { state: "BUILDING" }, "waiting Building"],
      ["is being deleted", absent, { ...runs, deleting: true }, "waiting Deleting"],
      ["could not be deleted", absent, { state: "DELETE_ERROR", deleting: true }, "waiting DeleteFailed"],
      ["could not be deleted, and is tried again", absent, { state: "DELETE_ERROR" }, "delete"],
      ["has another name", absent, renamed, CONFLICT],
      ["is only claimed, outside of the projects", outside, { ...runs, ...elsewhere }, UNPROVEN],
    ]);
  });

  describe("that is to stop, as its object is deleted", () => {
    const goal = { goal: "stopped" } as const;
    const asked = { ...goal, ...isStopped };
    const open = { ...goal, memory: { stopping: serviceBaseline(kind.statusOf("DEPLOYED")) } };

    plans([
      ["runs", goal, runs, "stop"],
      ["failed", goal, { state: "BUILD_ERROR" }, "stop"],
      ["could not be stopped", asked, { state: "STOP_ERROR" }, "stalled StopFailed"],
      ["could not be stopped, on request", { ...asked, ...requested }, { state: "STOP_ERROR" }, "stop"],
      ["is stopped", goal, stopped, "settled"],
      ["was never deployed", goal, { state: "READY" }, "settled"],
      ["is uninstalled", goal, deleted, "settled"],
      ["is at work", goal, { state: "DEPLOYING" }, "waiting Deploying"],
      ["is in an unknown state", goal, { state: "UNAVAILABLE" }, "waiting UnknownState"],
      ["does not show the stop yet", open, runs, "waiting Stopping"],
      ["was started since", open, { ...runs, status: { executionId: "run-2" } }, "stop"],
    ]);
  });
});
