import { describe, expect, it } from "vitest";

import {
  observedFull,
  observedIn,
  openDeployment,
  passWith,
  REQUEST,
  statusOf,
} from "../../../test/support/services/applications.ts";
import { serviceStates } from "../../platform/codec/states.ts";
import { application } from "./index.ts";

/** The spelling of the specification's usage guide. */
const GUIDE = ["RUNNING", "ERROR"];
const STRANGE = ["PAUSED", "", "deployed", "__proto__"];
const BUSY = serviceStates.filter((state) => /ING$|_QUEUED$|^QUEUED$|^RECAP$|^WAITING_/.test(state));
const FAILED = [...serviceStates.filter((state) => state.endsWith("_ERROR")), "CANCELED", "ERROR"];
const RUNNING = new Set(["DEPLOYED", "RESTARTED", "RUNNING"]);
const UNKNOWN = ["UNAVAILABLE", ...STRANGE];
const states = [...serviceStates, ...GUIDE, ...STRANGE];

const SURFACES = ["Documented", "Full"] as const;
const RUN_STATES = ["Running", "Stopped"] as const;
const POLICIES = ["Automatic", "Manual", "none"] as const;
const DEPLOYMENT_STATUSES = ["UP_TO_DATE", "OUT_OF_DATE", "NEVER_DEPLOYED"] as const;

interface Case {
  readonly state: string;
  readonly surface: (typeof SURFACES)[number];
  readonly runState: (typeof RUN_STATES)[number];
  readonly policy: (typeof POLICIES)[number];
  readonly deployed: (typeof DEPLOYMENT_STATUSES)[number];
}

const cases: readonly Case[] = states.flatMap((state) =>
  SURFACES.flatMap((surface) =>
    RUN_STATES.flatMap((runState) =>
      POLICIES.flatMap((policy) =>
        DEPLOYMENT_STATUSES.map((deployed) => ({ state, surface, runState, policy, deployed })),
      ),
    ),
  ),
);

/** An application whose last deployment of this commit has ended, and that is in any state now. */
function settled({ state, surface, runState, policy, deployed }: Case) {
  const deploy = policy === "none" ? undefined : { gitCommitId: "1a2b3c4d", policy };
  const context = passWith({
    surface,
    spec: { runState, ...(deploy === undefined ? { deploy: undefined } : { deploy }) },
  });
  const status = statusOf(state, { serviceDeploymentStatus: deployed });
  const observed = surface === "Full" ? observedFull(state, {}, { status }) : observedIn(state, { status });
  return { context, observed };
}

/** The result of the plan, in one word. */
function word(of: Case): string {
  const { context, observed } = settled(of);
  const planned = application.plan(context, observed);
  if (planned.is === "step") return planned.step.op;
  const reason =
    planned.is === "settled"
      ? application.report(context, observed).ready.reason
      : "why" in planned
        ? planned.why.reason
        : "";
  return `${planned.is} ${reason}`;
}

const all = (wanted: Partial<Record<keyof Case, readonly string[]>>): readonly Case[] =>
  cases.filter((each) => Object.entries(wanted).every(([key, values]) => values.includes(each[key as keyof Case])));

describe("the state of an application", () => {
  it("is checked in every combination", () => {
    expect([states.length, cases.length]).toEqual([35, 35 * 36]);
    expect([BUSY.length, FAILED.length]).toEqual([17, 7]);
  });

  it("[C5] causes no request by itself while it is unknown", () => {
    for (const each of all({ state: UNKNOWN })) expect(word(each), JSON.stringify(each)).toBe("unknown UnknownState");
  });

  it("needs a person after a failure, with advice, and is not repaired by itself", () => {
    for (const each of all({ state: FAILED, runState: ["Running"] })) {
      const { context, observed } = settled(each);
      const message = expect.stringMatching(
        /^The platform reports \w+( for commit \w{7})?\. [A-Z].* or request a retry with the annotation \S+\.$/,
      ) as string;
      const stalled = { is: "stalled", why: { message } };
      expect(application.plan(context, observed), JSON.stringify(each)).toMatchObject(stalled);
    }
  });

  it.each([
    ["BUILD_ERROR", "Read the build log on the platform and set spec.deploy.gitCommitId to a commit that"],
    ["DEPLOYMENT_ERROR", "Read the application's log and set spec.deploy.gitCommitId to a commit that"],
    ["STOP_ERROR", "Look at the application on the platform"],
    ["RESTART_ERROR", "Read the application's log"],
    ["DELETE_ERROR", "Look at the application on the platform"],
    ["CANCELED", "It was canceled, or another service of the environment failed first"],
  ])("%s says what to do", (state, advice) => {
    for (const each of all({ state: [state], runState: ["Running"] })) {
      const { context, observed } = settled(each);
      const message = expect.stringContaining(advice) as string;
      expect(application.plan(context, observed), JSON.stringify(each)).toMatchObject({ why: { message } });
    }
  });

  it("comes to the same, whatever is to be deployed and whatever others changed", () => {
    const same = { policy: "Automatic", deployed: "UP_TO_DATE" } as const;
    // Where nothing is to be deployed, a stop by others is none of our business.
    for (const each of cases.filter(({ policy, state }) => policy !== "none" || state !== "STOPPED")) {
      const surface = each.runState === "Running" ? "Full" : each.surface;
      expect(word(each), JSON.stringify(each)).toBe(word({ ...each, ...same, surface }));
    }
  });

  it("never causes another deployment by itself", () => {
    expect(cases.filter((each) => word(each) === "deployApplication")).toEqual([]);
  });

  it("is the reason of Deployed, verbatim", () => {
    for (const each of cases) {
      const { context, observed } = settled(each);
      const condition = application.report(context, observed).conditions.find(({ type }) => type === "Deployed");
      const status = RUNNING.has(each.state) ? "True" : UNKNOWN.includes(each.state) ? "Unknown" : "False";
      const reason = ["", "__proto__"].includes(each.state) ? "UnknownState" : each.state;
      expect(condition, JSON.stringify(each)).toMatchObject({ status, reason });
    }
  });

  it("comes to this", () => {
    const rows = states.map((state) => {
      const of = (surface: Case["surface"], runState: Case["runState"]) =>
        word({ state, surface, runState, policy: "Automatic", deployed: "UP_TO_DATE" });
      return [JSON.stringify(state), of("Full", "Running"), of("Full", "Stopped"), of("Documented", "Stopped")].join(
        " | ",
      );
    });
    expect(rows.join("\n")).toMatchInlineSnapshot(`
      ""BUILDING" | waiting Building | waiting Building | waiting Building
      "BUILD_ERROR" | stalled BuildFailed | stopApplication | stalled NotSupportedByApi
      "CANCELED" | stalled Canceled | stopApplication | stalled NotSupportedByApi
      "CANCELING" | waiting Canceling | waiting Canceling | waiting Canceling
      "DELETED" | stalled ExternalResourceDeleted | stalled ExternalResourceDeleted | stalled ExternalResourceDeleted
      "DELETE_ERROR" | stalled DeleteFailed | stopApplication | stalled NotSupportedByApi
      "DELETE_QUEUED" | waiting Queued | waiting Queued | waiting Queued
      "DELETING" | waiting Deleting | waiting Deleting | waiting Deleting
      "DEPLOYED" | settled Deployed | stopApplication | stalled NotSupportedByApi
      "DEPLOYING" | waiting Deploying | waiting Deploying | waiting Deploying
      "DEPLOYMENT_ERROR" | stalled DeploymentFailed | stopApplication | stalled NotSupportedByApi
      "DEPLOYMENT_QUEUED" | waiting Queued | waiting Queued | waiting Queued
      "QUEUED" | waiting Queued | waiting Queued | waiting Queued
      "READY" | settled NotDeployed | settled Stopped | settled Stopped
      "RESTARTED" | settled Deployed | stopApplication | stalled NotSupportedByApi
      "RESTARTING" | waiting Restarting | waiting Restarting | waiting Restarting
      "RESTART_ERROR" | stalled RestartFailed | stopApplication | stalled NotSupportedByApi
      "RESTART_QUEUED" | waiting Queued | waiting Queued | waiting Queued
      "STOPPED" | stalled DriftDetected | settled Stopped | settled Stopped
      "STOPPING" | waiting Stopping | waiting Stopping | waiting Stopping
      "STOP_ERROR" | stalled StopFailed | stopApplication | stalled NotSupportedByApi
      "STOP_QUEUED" | waiting Queued | waiting Queued | waiting Queued
      "EXECUTING" | waiting Progressing | waiting Progressing | waiting Progressing
      "RECAP" | waiting Progressing | waiting Progressing | waiting Progressing
      "UNAVAILABLE" | unknown UnknownState | unknown UnknownState | unknown UnknownState
      "WAITING_DELETING" | waiting Deleting | waiting Deleting | waiting Deleting
      "WAITING_RESTARTING" | waiting Restarting | waiting Restarting | waiting Restarting
      "WAITING_RUNNING" | waiting Deploying | waiting Deploying | waiting Deploying
      "WAITING_STOPPING" | waiting Stopping | waiting Stopping | waiting Stopping
      "RUNNING" | settled Deployed | stopApplication | stalled NotSupportedByApi
      "ERROR" | stalled DeploymentFailed | stopApplication | stalled NotSupportedByApi
      "PAUSED" | unknown UnknownState | unknown UnknownState | unknown UnknownState
      "" | unknown UnknownState | unknown UnknownState | unknown UnknownState
      "deployed" | unknown UnknownState | unknown UnknownState | unknown UnknownState
      "__proto__" | unknown UnknownState | unknown UnknownState | unknown UnknownState"
    `);
  });
});

describe("the state of a deployment that is followed", () => {
  const follow = (state: string) => {
    const context = passWith({ memory: { lastDeployment: openDeployment() } });
    const observed = observedIn("DEPLOYED", { request: { status: state, deploymentRequestId: REQUEST } });
    return {
      planned: application.plan(context, observed),
      last: (application.report(context, observed).status as { lastDeployment: object }).lastDeployment,
    };
  };

  it.each(states)("%j ends it, or does not", (state) => {
    const { planned, last } = follow(state);
    // The usage guide's states are those of a service, not of a request.
    const waits = BUSY.includes(state) || UNKNOWN.includes(state) || GUIDE.includes(state);
    expect("finishedAt" in last).toBe(!waits);
    expect(planned.is).toBe(waits ? "waiting" : [...FAILED, "DELETED"].includes(state) ? "stalled" : "settled");
  });
});
