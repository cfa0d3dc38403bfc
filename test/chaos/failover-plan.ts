/** Which failovers there are. */

/** The leader is killed, frozen, or cut off from the API server while it still reaches the platform. */
export const LOSSES = ["kill", "freeze", "partition"] as const;
/**
 * A person writes a stranger's name into the lease, or deletes it; deletes it while the leader cannot look, so that two
 * lead for seconds, who write at the same time, or one of whom is a step behind.
 */
export const BY_HAND = ["edit", "delete", "delete-unnoticed", "delete-behind"] as const;
export const WAYS = [...LOSSES, ...BY_HAND] as const;
export type Way = (typeof WAYS)[number];

/** The seed says at which moment of a deployment it happens, and on which surface. */
export interface Failover {
  readonly seed: number;
  readonly way: Way;
}
