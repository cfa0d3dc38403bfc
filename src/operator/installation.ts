/** Which cluster this is. */
import { createBackoff } from "../kube/api/backoff.ts";
import { pause } from "../kube/api/clock.ts";
import type { Clock, Namespaces } from "../kube/api/types.ts";
import type { Logger } from "../observability/logger.ts";

export interface InstallationOptions {
  readonly namespaces: Namespaces;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Ends the search. */
  readonly signal: AbortSignal;
}

/**
 * Reads the uid of the kube-system namespace, which names the installation in the ledger (docs/architecture.md §7), as
 * often as it takes.
 * @returns undefined when `signal` fired before.
 */
export async function findInstallation(options: InstallationOptions): Promise<string | undefined> {
  const { clock, log, namespaces, random, signal } = options;
  const backoff = createBackoff({ baseMs: 500, capMs: 10_000, random });
  while (!signal.aborted) {
    const wait = backoff.next();
    try {
      const facts = await namespaces.get("kube-system", 0);
      if (facts !== undefined) return facts.uid;
      log.warn("the namespace kube-system does not exist: trying again", { retryInMs: Math.round(wait) });
    } catch (error) {
      log.warn("cannot read the namespace kube-system: trying again", { error, retryInMs: Math.round(wait) });
    }
    await pause(clock, wait, signal);
  }
  return undefined;
}
