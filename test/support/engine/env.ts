import type { OrphanChange } from "../../../src/engine/orphans/ledger.ts";
import { bind } from "../../../src/engine/reconcile/bind.ts";
import type { Json, ObjectMeta } from "../../../src/kube/api/types.ts";
import { type Assignment, UNDIVIDED } from "../../../src/kube/watch/assignment.ts";
import { manualClock } from "../kube/clock.ts";
import { memoryOrphans, memoryShards } from "../platform/orphans.ts";
import { makeHarness, type WidgetApi } from "./fake-platform.ts";
import { engineHarness, type Harness } from "./harness.ts";
import { widget } from "./kinds.ts";
import { clusterLink, link } from "./links.ts";

export const INSTALLATION: string = "installation-1";

export type Env = ReturnType<typeof engineEnv>;

export interface EnvOptions {
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

export function engineEnv({ bare = false, kind = widget, assignment = UNDIVIDED }: EnvOptions = {}) {
  const clock = manualClock();
  const world = makeHarness();
  const harness: Harness<WidgetApi> = engineHarness<WidgetApi>({
    clock,
    types: TYPES,
    kinds: () => [bind(link), bind(clusterLink), bind(kind)],
    connectionKinds: { namespaced: "Link", cluster: "ClusterLink" },
    namespaces: {
      get: async () => {
        await env.beforeNamespace();
        return { uid: env.namespaceUid, labels: {}, terminating: false };
      },
    },
    outputs: { configMap: () => env.output(), secret: () => env.output() },
    fence: { mayWrite: () => env.leader },
    assignment,
    process: () => {
      const orphans = memoryOrphans(clock, env.shards, env.orphans);
      void orphans.load();
      return { connect: ({ surface }, token) => world.api(token, surface), orphans, installation: env.installation };
    },
  });
  const { cluster } = harness;
  const orphans: OrphanChange[] = [];
  const env = Object.assign(harness, {
    world,
    /** The ConfigMaps of the orphan ledger, and its reported changes. */
    shards: memoryShards(),
    orphans,
    namespaceUid: "ns",
    /** Called before each read of the namespace; may take time. */
    beforeNamespace: (): Promise<void> => Promise.resolve(),
    leader: true,
    /** The uid of kube-system, for the next process. */
    installation: INSTALLATION,
    /** Fails the output ConfigMap. */
    output: () => Promise.resolve(),
    writes: (of: string, name: string): number => {
      const { namespace = "" } = cluster.get(of, name).metadata;
      return cluster.writes.filter(({ key }) => key === `${of}/${namespace}/${name}`).length;
    },
    widget: (name: string, spec: { readonly [key: string]: Json } = {}, meta: Partial<ObjectMeta> = {}): void => {
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
