/** Makes the metrics of a registry. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

import { HELP } from "./help.ts";

type Name = keyof typeof HELP;

/** @param leading reports whether this replica leads; called at each scrape */
export function instruments(registry: Registry, leading: () => boolean = () => true) {
  const named = (name: Name) => ({ name, help: HELP[name], registers: [registry] });
  return {
    counter: <L extends string>(name: Name, labelNames: readonly L[] = []) =>
      new Counter({ ...named(name), labelNames }),
    gauge: <L extends string>(name: Name, labelNames: readonly L[]) => new Gauge({ ...named(name), labelNames }),
    histogram: <L extends string>(name: Name, labelNames: readonly L[], buckets: number[]) =>
      new Histogram({ ...named(name), labelNames, buckets }),
    /**
     * Makes a gauge of one series, which is read at each scrape.
     * @param read returns undefined where there is no value
     */
    gaugeFunc: (name: Name, read: () => number | undefined, labels: Readonly<Record<string, string>> = {}) => {
      const gauge = new Gauge({
        ...named(name),
        labelNames: Object.keys(labels),
        collect: () => {
          const value = read();
          if (value === undefined) gauge.remove(labels);
          else gauge.set(labels, value);
        },
      });
    },
    /** Makes a gauge whose series are set anew at each scrape, on the replica that leads. */
    collectedGauge: <L extends string>(name: Name, labelNames: readonly L[], collect: (gauge: Gauge<L>) => void) => {
      const gauge = new Gauge<L>({
        ...named(name),
        labelNames,
        collect: () => {
          gauge.reset();
          if (leading()) collect(gauge);
        },
      });
    },
  };
}
