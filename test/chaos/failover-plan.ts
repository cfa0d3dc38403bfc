/** The leader is killed, frozen, or disconnected from the API server while it still reaches the platform. */
export const LOSSES = ["kill", "freeze", "partition"] as const;
/**
 * A user edits the lease's holder, or deletes the lease. With `-unnoticed` and `-behind` the leader cannot read it, so
 * two processes lead for seconds: they write at the same time, or one is a step behind.
 */
export const BY_HAND = ["edit", "delete", "delete-unnoticed", "delete-behind"] as const;
export const WAYS = [...LOSSES, ...BY_HAND] as const;
export type Way = (typeof WAYS)[number];

/** The seed determines the surface, and the moment of the deployment. */
export interface Failover {
  readonly seed: number;
  readonly way: Way;
}
