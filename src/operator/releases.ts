/**
 * The releases of the operator in one cluster. Each has a lease of the same name in a namespace of its own, and writes
 * into it which namespaces it watches, so that releases notice each other.
 */
import { GROUP } from "../api/names.ts";
import { LEASE_NAME } from "../config/names.ts";
import { abortableSleep } from "../kube/api/clock.ts";
import { isKube } from "../kube/api/errors.ts";
import { listMember, member, stringMember } from "../kube/api/json.ts";
import { collectionPath, LEASE } from "../kube/api/paths.ts";
import { DEADLINES, type KubeClient } from "../kube/api/transport.ts";
import type { Clock, Json } from "../kube/api/types.ts";
import type { Logger } from "../observability/logger.ts";

/** The annotation of a lease with the namespaces that its release watches, divided by commas; "*" for all. */
const WATCHES = `${GROUP}/watch-namespaces`;
const ALL = "*";
/** A name of a namespace. Whoever may write leases in some namespace can write one of this name there. */
const NAMESPACE = /^[a-z0-9-]{1,63}$/;
/** The number of namespaces that a line of the log names. */
const NAMED = 20;

/** How often a leader looks for other releases. */
const LOOK_MS = 60_000;
/** A release counts as running for this long after it renewed its lease: an upgrade takes less, clocks differ by less. */
const RUNS_FOR_MS = 5 * 60_000;

/** One release of the operator. */
export interface Release {
  /** The namespace of its operator. */
  readonly namespace: string;
  /** Whether a process holds the lease, or held it last without releasing it. */
  readonly isHeld: boolean;
  /** When the lease was renewed last, as the clock of its holder says; NaN where the lease has no valid time. */
  readonly renewedAt: number;
  /** The namespaces that it watches; ["*"] for all, none where the lease does not say it. */
  readonly watches: readonly string[];
}

/** Returns the annotations of the lease of a release. @param namespaces those that it watches; empty for all */
export function leaseAnnotations(namespaces: readonly string[]): Readonly<Record<string, string>> {
  return { [WATCHES]: namespaces.length === 0 ? ALL : namespaces.toSorted().join(",") };
}

/** Lists the releases of the cluster, by the name of their leases. @throws KubeError */
export async function listReleases(client: KubeClient): Promise<readonly Release[]> {
  const answer = await client.request({
    method: "GET",
    path: collectionPath(LEASE),
    // RBAC allows a list of one name only with this selector (Kubernetes: "Referring to resources").
    query: { fieldSelector: `metadata.name=${LEASE_NAME}` },
    timeoutMs: DEADLINES.lease,
  });
  return listMember(answer, "items").flatMap((lease) => releaseOf(lease) ?? []);
}

function releaseOf(lease: Json): Release | undefined {
  const metadata = member(lease, "metadata");
  const namespace = stringMember(metadata, "namespace");
  if (namespace === undefined || stringMember(metadata, "name") !== LEASE_NAME) return undefined;
  const spec = member(lease, "spec");
  const watches = (stringMember(member(metadata, "annotations"), WATCHES) ?? "").split(",");
  return {
    namespace,
    isHeld: (stringMember(spec, "holderIdentity") ?? "") !== "",
    renewedAt: Date.parse(stringMember(spec, "renewTime") ?? ""),
    watches: watches.filter((name) => name === ALL || NAMESPACE.test(name)),
  };
}

/** Reports whether a release runs, or ran a few minutes ago. */
export function isRunning({ renewedAt }: Release, now: Date): boolean {
  return now.getTime() - renewedAt < RUNS_FOR_MS;
}

/** Another release that watches the same namespaces, and which they are; ["*"] for all. */
export interface Overlap {
  readonly namespace: string;
  readonly shared: readonly string[];
}

/** Returns the other releases that reconcile objects of this one. */
export function overlapsOf(
  own: Pick<Release, "namespace" | "watches">,
  releases: readonly Release[],
  now: Date,
): readonly Overlap[] {
  return releases.flatMap((other) => {
    if (other.namespace === own.namespace || !other.isHeld || !isRunning(other, now)) return [];
    const shared = sharedBy(own.watches, other.watches);
    return shared.length === 0 ? [] : [{ namespace: other.namespace, shared }];
  });
}

function sharedBy(some: readonly string[], others: readonly string[]): readonly string[] {
  if (some.includes(ALL)) return others;
  return others.includes(ALL) ? some : some.filter((name) => others.includes(name));
}

export interface ReleasesOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** The namespace of this operator, and those that it watches; empty for all. */
  readonly own: { readonly namespace: string; readonly namespaces: readonly string[] };
  readonly log: Logger;
}

/** What a leader knows of the other releases of its cluster. Nothing is known before the first look. */
export function createReleases({ client, clock, own, log }: ReleasesOptions) {
  const { namespace } = own;
  const watches = own.namespaces.length === 0 ? [ALL] : own.namespaces;
  let releases: readonly Release[] | undefined;
  let overlaps: readonly Overlap[] = [];
  let isForbidden = false;
  let looks = 0;
  /** The releases that were asked for and did not run, and after which look that was. */
  const doubted = new Map<string, number>();

  /** Lists the releases, and logs each that overlaps, once. A failed list leaves what is known. */
  const look = async (): Promise<void> => {
    try {
      releases = await listReleases(client);
    } catch (error) {
      if (isForbidden) return;
      isForbidden = isKube(error, "Forbidden");
      log.warn("cannot list the leases of other releases of the operator", { error });
      return;
    }
    isForbidden = false;
    looks += 1;
    const before = overlaps;
    overlaps = overlapsOf({ namespace, watches }, releases, clock.now());
    for (const { namespace: release, shared } of overlaps) {
      if (before.some((known) => known.namespace === release)) continue;
      log.warn("another release of the operator watches the same namespaces: both reconcile the same objects", {
        release,
        namespaces: shared.slice(0, NAMED).join(","),
      });
    }
    for (const { namespace: release } of before) {
      if (overlaps.every((now) => now.namespace !== release))
        log.info("another release of the operator does not watch the same namespaces any more", { release });
    }
  };

  return {
    look,
    /** Looks every minute. Resolves when the signal is aborted. */
    keepLooking: async (signal: AbortSignal): Promise<void> => {
      while (await abortableSleep(clock, LOOK_MS, signal)) await look();
    },
    /** The number of other releases that watch namespaces of this one. */
    overlapping: (): number => overlaps.length,
    /**
     * Reports whether the release of a namespace runs. One that has started since the last look is not known yet, so a
     * later look has to show that a release does not run. While the leases cannot be listed, every release counts.
     */
    isRunning: (release: string): boolean => {
      if (releases?.some((one) => one.namespace === release && isRunning(one, clock.now())) ?? true) {
        doubted.delete(release);
        return true;
      }
      const since = doubted.get(release) ?? looks;
      doubted.set(release, since);
      return looks === since;
    },
  };
}
