import { describe, expect, it } from "vitest";

import { observedFull, observedIn, contextWith, statusOf } from "../../../test/support/services/applications.ts";
import { serviceStates } from "../../platform/codec/states.ts";
import { application } from "./index.ts";

/** The spelling of the specification's usage guide. */
const GUIDE = ["RUNNING", "ERROR"];
const STRANGE = ["PAUSED", "", "deployed", "__proto__"];
const UNCLEAR = "unknown UnknownState";
/** The plan for an application that should be stopped, on the full and on the documented surface. */
const STOP = ["stopApplication", "stalled NotSupportedByPlatform"] as const;
const NOTHING = ["settled Stopped", "settled Stopped"] as const;

/** The plan in each state, and, where it differs, for an application that should be stopped. */
const PLANS: readonly (readonly [state: string, running: string, full?: string, documented?: string])[] = [
  ["BUILDING", "waiting Building"],
  ["BUILD_ERROR", "stalled BuildFailed", ...STOP],
  ["CANCELED", "stalled Canceled", ...STOP],
  ["CANCELING", "waiting Canceling"],
  ["DELETED", "stalled ExternalResourceDeleted"],
  ["DELETE_ERROR", "stalled DeleteFailed", ...STOP],
  ["DELETE_QUEUED", "waiting Queued"],
  ["DELETING", "waiting Deleting"],
  ["DEPLOYED", "settled Deployed", ...STOP],
  ["DEPLOYING", "waiting Deploying"],
  ["DEPLOYMENT_ERROR", "stalled DeploymentFailed", ...STOP],
  ["DEPLOYMENT_QUEUED", "waiting Queued"],
  ["QUEUED", "waiting Queued"],
  ["READY", "settled NotDeployed", ...NOTHING],
  ["RESTARTED", "settled Deployed", ...STOP],
  ["RESTARTING", "waiting Restarting"],
  ["RESTART_ERROR", "stalled RestartFailed", ...STOP],
  ["RESTART_QUEUED", "waiting Queued"],
  ["STOPPED", "stalled DriftDetected", ...NOTHING],
  ["STOPPING", "waiting Stopping"],
  ["STOP_ERROR", "stalled StopFailed", ...STOP],
  ["STOP_QUEUED", "waiting Queued"],
  ["EXECUTING", "waiting Progressing"],
  ["RECAP", "waiting Progressing"],
  ["UNAVAILABLE", UNCLEAR],
  ["WAITING_DELETING", "waiting Deleting"],
  ["WAITING_RESTARTING", "waiting Restarting"],
  ["WAITING_RUNNING", "waiting Deploying"],
  ["WAITING_STOPPING", "waiting Stopping"],
  ["RUNNING", "settled Deployed", ...STOP],
  ["ERROR", "stalled DeploymentFailed", ...STOP],
  ["PAUSED", UNCLEAR],
  ["", UNCLEAR],
  ["deployed", UNCLEAR],
  ["__proto__", UNCLEAR],
];

interface Case {
  readonly surface: "Documented" | "Full";
  readonly runState: "Running" | "Stopped";
  readonly policy: "Automatic" | "Manual" | "none";
  readonly deployed: string;
}

/** Every combination of what is wanted and what others changed. */
const CASES: readonly Case[] = (["Documented", "Full"] as const).flatMap((surface) =>
  (["Running", "Stopped"] as const).flatMap((runState) =>
    (["Automatic", "Manual", "none"] as const).flatMap((policy) =>
      ["UP_TO_DATE", "OUT_OF_DATE", "NEVER_DEPLOYED"].map((deployed) => ({ surface, runState, policy, deployed })),
    ),
  ),
);
const [USUAL] = CASES as readonly [Case];

/** An application whose last deployment of this commit has ended, and that is in this state now. */
function settled(state: string, { surface, runState, policy, deployed }: Case) {
  const deploy = policy === "none" ? undefined : { gitCommitId: "1a2b3c4d", policy };
  const context = contextWith({ surface, spec: { runState, deploy } });
  const status = statusOf(state, { serviceDeploymentStatus: deployed });
  const observed = surface === "Full" ? observedFull(state, {}, { status }) : observedIn(state, { status });
  return { context, observed };
}

/** The result of the plan in two words, or the operation of its step. */
function word(state: string, of: Case): string {
  const { context, observed } = settled(state, of);
  const planned = application.plan(context, observed);
  if (planned.is === "step") return planned.step.op;
  const why = planned.is === "settled" ? application.report(context, observed).ready : "why" in planned && planned.why;
  return `${planned.is} ${why === false ? "" : why.reason}`;
}

describe("the state of an application", () => {
  it("is checked whether it is documented or not", () => {
    expect(PLANS.map(([state]) => state)).toEqual([...serviceStates, ...GUIDE, ...STRANGE]);
  });

  it.for(PLANS)(
    "[C5] %j: %s, whatever is to be deployed and whatever others changed",
    ([state, running, full, documented]) => {
      for (const each of CASES) {
        const stopped = (each.surface === "Full" ? full : documented) ?? running;
        // Where nothing is to be deployed, a stop by others is none of our business.
        const run = each.policy === "none" && state === "STOPPED" ? "settled NotDeployed" : running;
        expect(word(state, each), JSON.stringify(each)).toBe(each.runState === "Running" ? run : stopped);
      }
    },
  );

  it.each([
    ["BUILD_ERROR", "Read the build log on the platform and set spec.deploy.gitCommitId to a commit that"],
    ["DEPLOYMENT_ERROR", "Read the application's log and set spec.deploy.gitCommitId to a commit that"],
    ["ERROR", "Look at the application on the platform"],
    ["STOP_ERROR", "Look at the application on the platform"],
    ["RESTART_ERROR", "Read the application's log"],
    ["DELETE_ERROR", "Look at the application on the platform"],
    ["CANCELED", "It was canceled, or another service of the environment failed first"],
  ])("%s needs a person, and says what to do", (state, advice) => {
    const { context, observed } = settled(state, USUAL);
    const words = new RegExp(`^The platform reports \\w+\\. ${advice}.* or request a retry with .*\\.$`);
    const why = { message: expect.stringMatching(words) as string };
    expect(application.plan(context, observed)).toMatchObject({ is: "stalled", why });
  });
});
