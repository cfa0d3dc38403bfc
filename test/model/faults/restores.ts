/** Backups, restores and mistakes of users, applied to the objects of an environment. */
import type { Surface } from "../../../simulator/base/operations.ts";
import { conditionOf } from "../../../src/engine/contract/status.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { KubeObject } from "../../../src/kube/api/types.ts";
import { effort } from "../../support/env/effort.ts";
import { everyKind } from "../../support/examples/every-kind.ts";
import { operatorEnv, settledEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";

/** In `make test` the full one alone. */
export const SURFACES = effort.few(["full", "documented"] as const);

/** @returns an environment with one object of every kind, all Ready. @throws Error when one is not */
export async function living(surface: Surface): Promise<OperatorEnv> {
  const env = await settledEnv(everyKind, { surface });
  const left = unready(env);
  if (left.length > 0) throw new Error(`not Ready: ${left.join("; ")}`);
  return env;
}

/** @returns the readiness of the objects that are not Ready, unless the platform does not show whether they are */
export function unready(env: OperatorEnv): readonly string[] {
  return readiness(env).filter((line) => !/: (True\/|Unknown\/NotObservable)/.test(line));
}

/** The default of a missing status. */
export const NO_STATUS = { observedGeneration: -1 } as const;

export function backupOf({ cluster }: OperatorEnv) {
  return { objects: cluster.all(), secrets: cluster.secrets() };
}

/**
 * Restores a backup into another cluster: its kube-system has another uid, and its operator runs at the same time as
 * the first one on the same platform.
 * @param how whole: every object unchanged; bare: like backup tools, with new uids and without statuses
 */
export async function restored(
  living: OperatorEnv,
  backup: ReturnType<typeof backupOf>,
  how: "whole" | "bare",
): Promise<OperatorEnv> {
  const copy = await operatorEnv({ beside: living, installation: "installation-2" });
  const bare = ({ metadata, ...object }: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...metadata, uid: `restored-${metadata.uid}` },
    status: NO_STATUS,
  });
  for (const secret of backup.secrets) copy.cluster.restore(secret);
  for (const object of backup.objects) copy.cluster.restore(how === "whole" ? object : bare(object));
  return copy;
}

/** Advances the time of operators that share a clock, minute by minute. */
export async function together(minutes: number, first: OperatorEnv, ...others: readonly OperatorEnv[]) {
  for (let minute = 0; minute < minutes; minute += 1) {
    await first.run(60_000);
    for (const other of others) await other.run(0);
  }
}

/** Does the same as `kubectl replace` with a manifest: keeps the status, removes annotations and finalizers. */
export function stripMetadata({ cluster }: OperatorEnv): void {
  for (const object of cluster.all()) {
    cluster.restore({ ...object, metadata: { ...object.metadata, annotations: {}, finalizers: [] } });
  }
}

/** "PlatformProject shop: True/Available" of every object, in alphabetical order. */
export function readiness({ cluster }: OperatorEnv): readonly string[] {
  return cluster
    .all()
    .map((object) => {
      const ready = conditionOf(object, "Ready");
      return `${object.kind} ${object.metadata.name}: ${ready?.status ?? ""}/${ready?.reason ?? ""}`;
    })
    .toSorted();
}

/** Each object's id on the platform, by kind and name. */
export function idsOf({ cluster }: OperatorEnv): Readonly<Record<string, unknown>> {
  const ids = cluster
    .all()
    .map(({ kind, metadata, status }) => [`${kind} ${metadata.name}`, member(status, "externalId")] as const);
  return Object.fromEntries(ids.filter(([, id]) => id !== undefined));
}
