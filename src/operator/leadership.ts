/** Decides which process may work: the holder of the lease, or without leader election this process alone. */
import { randomUUID } from "node:crypto";

import type { Config } from "../config/config.ts";
import { LEASE_NAME, LOG_LEVEL } from "../config/names.ts";
import { isKube } from "../kube/api/errors.ts";
import { stringMember } from "../kube/api/json.ts";
import { createLeaderElection, openFence, type LeaderElection, type LeaderOptions } from "../kube/leader/leader.ts";
import type { Logger } from "../observability/logger.ts";
import { leaseAnnotations } from "./releases.ts";

/** An identity may have 128 characters, of which a UUID takes 37. */
const INSTANCE_LENGTH = 90;

export interface LeadershipOptions extends Pick<LeaderOptions, "client" | "clock" | "random" | "onStarted" | "onLost"> {
  readonly config: Pick<Config, "leaderElect" | "operatorNamespace" | "instance" | "watchNamespaces">;
  readonly log: Logger;
  /** Called for a failed attempt to get or renew the lease. */
  readonly onFailed: () => void;
  /** Called with the log level in the lease (empty for none) after each read and write of the lease. */
  readonly onLogLevel: (text: string) => void;
}

/** @returns a candidate that is not started */
export function createLeadership(options: LeadershipOptions): LeaderElection {
  const { config, log } = options;
  const onStarted = (): void => {
    log.info("leading");
    options.onStarted();
  };
  if (!config.leaderElect) return alone(onStarted);
  const lease = { namespace: config.operatorNamespace, name: LEASE_NAME };
  return createLeaderElection({
    ...options,
    ...lease,
    annotations: leaseAnnotations(config.watchNamespaces),
    identity: `${config.instance.slice(0, INSTANCE_LENGTH)}_${randomUUID()}`,
    onStarted,
    onObserved: (metadata) => {
      options.onLogLevel(stringMember(metadata["annotations"], LOG_LEVEL) ?? "");
    },
    onFailed: (error) => {
      // At a conflict somebody edited the lease, e.g. its log level annotation: it is read and renewed at once.
      const level = isKube(error, "Conflict") ? "debug" : "warn";
      log[level]("cannot read or renew the lease: trying again", { ...lease, error });
      options.onFailed();
    },
  });
}

function alone(onStarted: () => void): LeaderElection {
  let leading = false;
  return {
    ...openFence(),
    start: () => {
      leading = true;
      onStarted();
    },
    stop: async () => {
      leading = false;
    },
    leading: () => leading,
  };
}
