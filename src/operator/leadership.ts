/** Decides which process may work: the holder of the lease, or without leader election this process alone. */
import { randomUUID } from "node:crypto";

import { isKube } from "../kube/api/errors.ts";
import { stringMember } from "../kube/api/json.ts";
import type { JsonObject } from "../kube/api/types.ts";
import { createLeaderElection, openFence, type LeaderElection, type LeaderOptions } from "../kube/leader/leader.ts";
import type { Logger } from "../observability/logger.ts";
import type { Config } from "./config/config.ts";
import { LEASE_NAME, LOG_LEVEL, shardLease, sharedHolder } from "./config/names.ts";

/** An identity may have 128 characters, of which a UUID takes 37. */
const INSTANCE_LENGTH = 90;

export interface LeadershipOptions extends Pick<LeaderOptions, "client" | "clock" | "random" | "onStarted" | "onLost"> {
  readonly config: Pick<Config, "leaderElect" | "operatorNamespace" | "instance" | "shards" | "shardIndex">;
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
  const candidate = (name: string, own: Pick<LeaderOptions, "identity" | "isShared" | "onStarted" | "onObserved">) =>
    createLeaderElection({
      ...options,
      ...own,
      namespace: config.operatorNamespace,
      name,
      onFailed: (error) => {
        // At a conflict somebody edited the lease, e.g. its log level annotation: it is read and renewed at once.
        const level = isKube(error, "Conflict") ? "debug" : "warn";
        log[level]("cannot read or renew the lease: trying again", {
          namespace: config.operatorNamespace,
          name,
          error,
        });
        options.onFailed();
      },
    });
  const identity = `${config.instance.slice(0, INSTANCE_LENGTH)}_${randomUUID()}`;
  const onObserved = (metadata: JsonObject): void => {
    options.onLogLevel(stringMember(metadata["annotations"], LOG_LEVEL) ?? "");
  };
  const { shards, shardIndex } = config;
  if (shards === 1) return candidate(LEASE_NAME, { identity, onStarted, onObserved });
  const shared = candidate(LEASE_NAME, {
    identity: sharedHolder(shards),
    isShared: true,
    onStarted,
    onObserved,
  });
  const start = (): void => {
    log.info("holds the lease of its shard", { name: shardLease(shardIndex) });
    shared.start();
  };
  return both(candidate(shardLease(shardIndex), { identity, onStarted: start }), shared);
}

/**
 * Returns the election of a shard: it leads while it holds its own lease and, together with the others, the lease that
 * processes of another number of shards need (docs/architecture.md §10).
 */
function both(own: LeaderElection, shared: LeaderElection): LeaderElection {
  return {
    start: () => {
      own.start();
    },
    stop: async () => {
      await own.stop();
      await shared.stop();
    },
    leading: () => own.leading() && shared.leading(),
    mayWrite: () => own.mayWrite() && shared.mayWrite(),
  };
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
