import { createStore } from "../../../src/kube/watch/store.ts";
import { createMetrics, type Figures } from "../../../src/observability/metrics/index.ts";

export function storeMetrics(figures: Pick<Figures, "kinds"> & Partial<Figures>) {
  const store = createStore(() => {});
  const metrics = createMetrics({
    version: "1.2.3",
    workers: 4,
    perObject: false,
    perNamespace: false,
    now: () => new Date("2026-01-01T00:10:00Z"),
    cache: () => store,
    leading: () => true,
    budgets: () => [],
    silentMs: () => new Map(figures.kinds.map((kind) => [kind, 250])),
    notServed: () => 0,
    overlapping: () => 0,
    orphans: () => ["Retain", "ConnectionNotReady"].map((why) => ({ kind: "PlatformEnvironment", why })),
    queue: () => ({ depth: () => 3, unfinishedSeconds: () => 0.5, longestRunningSeconds: () => 0.25 }),
    ...figures,
  });
  store.subscribe(metrics.changed);
  return {
    store,
    metrics,
    /** The lines of /metrics that begin with `start`, without comments. */
    series: async (start = ""): Promise<readonly string[]> => {
      const lines = (await metrics.registry.metrics()).split("\n");
      return lines.filter((line) => line !== "" && !line.startsWith("#") && line.startsWith(start));
    },
  };
}
