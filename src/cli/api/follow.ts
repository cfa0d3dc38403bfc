/** Follows a requested change to its end. */
import { pause } from "../../kube/api/clock.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import type { Call } from "../base/command.ts";
import { CliError, EXIT } from "../base/exit.ts";
import type { Flags } from "../base/flags.ts";
import type { Target } from "../base/open.ts";

/** The flags of commands that can wait. */
export const WAIT = {
  wait: { is: "switch", about: "wait until the platform is done" },
  timeout: { is: "duration", fallback: "15m", about: "how long --wait waits" },
} as const satisfies Flags;

const FIRST_MS = 2_000;
const LONGEST_MS = 10_000;

export interface Following {
  /** The state to wait for. */
  readonly wanted: "running" | "stopped";
  readonly timeoutMs: number;
  /** @returns the current state; undefined while it does not show the requested change */
  readonly look: () => Promise<string | undefined>;
  /** A command that shows the state later, without the program's name. */
  readonly later: string;
}

/**
 * Polls until the platform is done, and prints each new state on standard error.
 * @returns 0 when it reached the wanted state, 3 when it did not in time, 130 after Ctrl-C
 * @throws CliError when it ended in another state
 */
export async function follow(call: Call, { wanted, timeoutMs, look, later }: Following): Promise<number> {
  const { clock } = call.host;
  const signal = call.host.interrupt();
  const end = clock.monotonic() + timeoutMs;
  let waitMs = FIRST_MS;
  let told: string | undefined;
  for (;;) {
    const state = await looked(look);
    if (state !== undefined && state !== told) call.tell(`The platform reports ${state}.`);
    told = state ?? told;
    if (state !== undefined && isOver(state)) {
      if (servicePhase(state) === wanted) return EXIT.ok;
      throw new CliError(`It ended in ${state}.`);
    }
    if (clock.monotonic() >= end) {
      call.tell(`It is not done in time and goes on. Look again with: ${call.program} ${later}`);
      return EXIT.timeout;
    }
    if (!(await pause(clock, Math.min(waitMs, Math.max(0, end - clock.monotonic())), signal))) {
      call.tell(`It goes on on the platform. Look again with: ${call.program} ${later}`);
      return EXIT.interrupted;
    }
    waitMs = Math.min(LONGEST_MS, waitMs * 1.5);
  }
}

/** Follows a deployment request if there is one, else the application's status once it has changed. */
export function lookAtApplication(
  { platform, id }: Target,
  started: ServiceStatus | undefined,
  before: ServiceStatus | undefined,
): Following["look"] {
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

function isOver(state: string): boolean {
  const phase = servicePhase(state);
  return phase !== "busy" && phase !== "unknown" && phase !== "idle";
}

/** A temporary failure shows nothing; a new request may not be found for a moment. */
async function looked(look: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await look();
  } catch (error) {
    const passing = ["RateLimited", "OverBudget", "Server", "Unreachable", "NotFound"];
    if (error instanceof ApiError && passing.includes(error.failure.is)) return undefined;
    throw error;
  }
}
