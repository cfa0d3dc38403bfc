/** `deploy`, `database deploy` and `database stop`: requests that can be followed to their end. */
import { abortableSleep } from "../../kube/api/clock.ts";
import { member, stringMember } from "../../kube/api/json.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { printable } from "../../text/text.ts";
import type { Call, Entry, PlatformTarget } from "../base/command.ts";
import { CliError, EXIT } from "../base/exit.ts";
import type { Flags } from "../base/flags.ts";
import { LIST_FORMATS } from "../base/globals.ts";
import { print } from "../base/render.ts";
import { apiCommand, APPLICATION, pauseAfter, printAnswer } from "./declare.ts";
import { serviceView } from "./services.ts";

/** The flags of commands that can wait. */
const WAIT = {
  wait: { type: "switch", about: "wait until the platform has finished" },
  timeout: { type: "duration", fallback: "15m", about: "timeout of --wait" },
} as const satisfies Flags;

const FIRST_WAIT_MS = 2_000;
const MAX_WAIT_MS = 10_000;

interface Following {
  /** The state to wait for. */
  readonly wanted: "running" | "stopped";
  /** @returns the current state; undefined while it does not show the requested change */
  readonly readState: () => Promise<string | undefined>;
  /** A command that shows the state later, without the program's name. */
  readonly later: string;
  /** Called if the work ends in another state, before the error is thrown. */
  readonly failed?: () => Promise<void>;
}

/** The number of log lines that are shown when an application failed. */
const LAST_LINES = 20;

export const DEPLOYMENTS: readonly Entry[] = [
  apiCommand({
    name: "deploy",
    about: "deploy one commit of an application",
    operations: ["deployApplication", "getApplicationStatus", "getDeploymentStatus", "getApplicationLog"],
    formats: LIST_FORMATS,
    args: [APPLICATION],
    flags: {
      commit: { type: "text", value: "SHA", required: true, about: "commit to deploy" },
      ...WAIT,
    },
    details:
      "For an application whose commit is in a PlatformApplication, change spec.deploy.gitCommitId there instead: the " +
      "operator reports a deployment of another commit as drift.",
    run: async (call) => {
      const { commit, wait } = call.flags;
      const target = await call.target(call.args.application, ["PlatformApplication"]);
      const { platform, id, object } = target;
      const declared = stringMember(member(object?.spec, "deploy"), "gitCommitId");
      if (declared !== undefined && declared !== commit) {
        call.report(
          `The PlatformApplication names commit ${declared}: the operator will report this deployment as drift.`,
        );
      }
      const before = wait ? await platform.applications.status(id) : undefined;
      const started = await platform.applications.deploy(id, commit);
      if (!wait) {
        if (started !== undefined) await print(call, serviceView("application"), started);
        call.report(`The deployment of ${commit} is requested.`);
        return EXIT.ok;
      }
      const request = started?.deploymentRequestId;
      const later = request === undefined ? `app-status ${call.args.application}` : `deployment ${request}`;
      const code = await follow(call, {
        wanted: "running",
        readState: stateReader(target, started, before),
        later,
        // The end of the log shows why, if it can be read.
        failed: async () => {
          const lines = await platform.applications.log(id, LAST_LINES).catch(() => []);
          for (const line of lines) call.report(`| ${printable(line)}`);
        },
      });
      if (code === EXIT.ok) await print(call, serviceView("application"), await platform.applications.status(id));
      return code;
    },
  }),
  databaseAction("deploy", "running", "deploy a database, or start a stopped one"),
  databaseAction("stop", "stopped", "stop a database"),
];

/** @param wanted the state that it leads to */
function databaseAction(verb: "deploy" | "stop", wanted: Following["wanted"], about: string): Entry {
  return apiCommand({
    name: `database ${verb}`,
    about,
    operations: [`${verb}Database`, "getDeploymentStatus"],
    formats: LIST_FORMATS,
    args: [{ name: "database", about: "id of the database, or the name of a PlatformDatabase" }],
    flags: WAIT,
    run: async (call) => {
      const { platform, id } = await call.target(call.args.database, ["PlatformDatabase"]);
      const started = await platform.databases[verb](id);
      await printAnswer(call, serviceView("database"), started);
      if (!call.flags.wait) return EXIT.ok;
      const request = started?.deploymentRequestId;
      // No surface has an operation that reads the status of a database by its id.
      if (request === undefined) throw new CliError("The platform returned no request to wait for.");
      return follow(call, {
        wanted,
        readState: async () => (await platform.deployments.status(request)).status,
        later: `deployment ${request}`,
      });
    },
  });
}

/**
 * Polls until the platform is done, and prints each new state on standard error.
 * @returns 0 when it reached the wanted state, 3 when it did not in time, 130 after Ctrl-C
 * @throws CliError when it ended in another state
 */
async function follow(
  call: Call<unknown, { readonly timeout: number }>,
  { wanted, readState, later, failed }: Following,
): Promise<number> {
  const { clock } = call.host;
  const signal = call.host.interrupt();
  const end = clock.monotonic() + call.flags.timeout;
  let waitMs = FIRST_WAIT_MS;
  let reported: string | undefined;
  for (;;) {
    const state = await stateOf(readState);
    if (state !== undefined && state !== reported) call.report(`The platform reports ${state}.`);
    reported = state ?? reported;
    if (state !== undefined && hasEnded(state)) {
      if (servicePhase(state) === wanted) return EXIT.ok;
      await failed?.();
      throw new CliError(`It ended in ${state}.`);
    }
    if (clock.monotonic() >= end) {
      call.report(`The timeout has passed, and the platform continues. Check again with: ${call.program} ${later}`);
      return EXIT.timeout;
    }
    if (!(await abortableSleep(clock, Math.min(waitMs, Math.max(0, end - clock.monotonic())), signal))) {
      call.report(`The platform continues. Check again with: ${call.program} ${later}`);
      return EXIT.interrupted;
    }
    waitMs = Math.min(MAX_WAIT_MS, waitMs * 1.5);
  }
}

/**
 * Returns a function that reads the state of the deployment request if there is one, else that of the application once
 * its status differs from `before`.
 */
function stateReader(
  { platform, id }: PlatformTarget,
  started: ServiceStatus | undefined,
  before: ServiceStatus | undefined,
): Following["readState"] {
  const request = started?.deploymentRequestId;
  if (request !== undefined) return async () => (await platform.deployments.status(request)).status;
  return async () => {
    const now = await platform.applications.status(id);
    const hasMoved =
      now.lastDeploymentDate !== before?.lastDeploymentDate ||
      now.executionId !== before?.executionId ||
      now.deploymentRequestsCount !== before?.deploymentRequestsCount;
    return hasMoved || servicePhase(now.state) === "busy" ? now.state : undefined;
  };
}

function hasEnded(state: string): boolean {
  const phase = servicePhase(state);
  return phase !== "busy" && phase !== "unknown" && phase !== "idle";
}

/** Reads the state; undefined after a temporary failure, or while a new request cannot be found yet. */
async function stateOf(readState: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await readState();
  } catch (error) {
    const isMissing = error instanceof ApiError && error.failure.is === "NotFound";
    if (isMissing || pauseAfter(error) !== undefined) return undefined;
    throw error;
  }
}
