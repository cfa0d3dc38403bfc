import { type Windows, DEFAULT_WINDOWS } from "../../../src/engine/contract/windows.ts";
import type { OrphanChange } from "../../../src/engine/orphans/ledger.ts";
import { bind } from "../../../src/engine/reconcile/bind.ts";
import type { Json, ObjectMeta } from "../../../src/kube/api/types.ts";
import { type Assignment, UNDIVIDED } from "../../../src/kube/watch/assignment.ts";
import { manualClock } from "../kube/clock.ts";
import { memoryOrphans, memoryShards, type MemoryShards } from "../platform/orphans.ts";
import { makeHarness, type WidgetApi, type World } from "./fake-platform.ts";
import { engineHarness, type Harness } from "./harness.ts";
import { widget } from "./kinds.ts";
import { clusterLink, link } from "./links.ts";

export const INSTALLATION = "installation-1";

/** The engine with the test kind Widget, and a platform in memory. */
export interface Env extends Harness<WidgetApi> {
  readonly world: World;
  /** The ConfigMaps of the orphan ledger, and its reported changes. */
  readonly shards: MemoryShards;
  readonly orphans: OrphanChange[];
  /** The uid of the namespace. */
  namespaceUid: string;
  /** Whether this process holds the lease. */
  leader: boolean;
  /** The uid of kube-system, for the next process. */
  installation: string;
  /** Fails the output ConfigMap. */
  output: () => Promise<void>;
  readonly windows: Windows;
  writes(kind: string, name: string): number;
  widget(name: string, spec?: { readonly [key: string]: Json }, more?: Partial<ObjectMeta>): void;
}

export interface EnvOptions {
  readonly windows?: Partial<Windows>;
  readonly random?: () => number;
  /** Creates no connection and no Secret in the namespace. */
  readonly bare?: boolean;
  /** Which objects this process works on; all by default. */
  readonly assignment?: Assignment;
  /** The kind behind "Widget". */
  readonly kind?: typeof widget;
}

const TYPES = [link, clusterLink, widget].map(({ resource: { kind, plural, scope } }) => ({
  group: "test",
  version: "v1",
  kind,
  plural,
  namespaced: scope === "Namespaced",
}));

export function engineEnv({
  windows: changed,
  random,
  bare = false,
  kind = widget,
  assignment = UNDIVIDED,
}: EnvOptions = {}): Env {
  const clock = manualClock();
  const world = makeHarness();
  const windows = { ...DEFAULT_WINDOWS, ...changed };
  const harness = engineHarness<WidgetApi>({
    clock,
    types: TYPES,
    kinds: () => [bind(link), bind(clusterLink), bind(kind)],
    connectionKinds: { namespaced: "Link", cluster: "ClusterLink" },
    namespaces: { get: () => Promise.resolve({ uid: env.namespaceUid, labels: {}, terminating: false }) },
    outputs: { configMap: () => env.output(), secret: () => env.output() },
    fence: { mayWrite: () => env.leader },
    assignment,
    ...(random !== undefined && { random }),
    windows,
    process: () => {
      const orphans = memoryOrphans(clock, env.shards, env.orphans);
      void orphans.load();
      return { connect: ({ surface }, token) => world.api(token, surface), orphans, installation: env.installation };
    },
  });
  const { cluster } = harness;
  const env: Env = Object.assign(harness, {
    world,
    windows,
    shards: memoryShards(),
    orphans: [],
    namespaceUid: "ns",
    leader: true,
    installation: INSTALLATION,
    output: () => Promise.resolve(),
    writes: (of: string, name: string) => {
      const { namespace = "" } = cluster.get(of, name).metadata;
      return cluster.writes.filter(({ key }) => key === `${of}/${namespace}/${name}`).length;
    },
    widget: (name: string, spec = {}, meta = {}) => {
      cluster.create("Widget", name, { name, ...spec }, meta);
    },
  });
  env.restart();
  if (!bare) {
    cluster.secret("token", { token: "token-1" });
    cluster.create("Link", "default", {});
  }
  return env;
}
