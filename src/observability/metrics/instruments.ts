/** Makes the metrics of a registry. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** @param leading is called at each scrape */
export function instruments(registry: Registry, leading: () => boolean = () => true) {
  const registers = [registry];
  return {
    counter: <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <L extends string>(name: string, help: string, labelNames: readonly L[], buckets: number[]) =>
      new Histogram({ name, help, labelNames, buckets, registers }),
    /**
     * Makes a gauge of one series, which is read at each scrape.
     * @param read returns undefined where there is no value
     */
    gaugeFunc: (
      name: string,
      help: string,
      read: () => number | undefined,
      labels: Readonly<Record<string, string>> = {},
    ) => {
      const gauge = new Gauge({
        name,
        help,
        labelNames: Object.keys(labels),
        registers,
        collect: () => {
          const value = read();
          if (value === undefined) gauge.remove(labels);
          else gauge.set(labels, value);
        },
      });
    },
    /** Makes a gauge whose series are set anew at each scrape, on the replica that leads. */
    collectedGauge: <L extends string>(
      name: string,
      help: string,
      labelNames: readonly L[],
      collect: (gauge: Gauge<L>) => void,
    ) => {
      const gauge = new Gauge<L>({
        name,
        help,
        labelNames,
        registers,
        collect: () => {
          gauge.reset();
          if (leading()) collect(gauge);
        },
      });
    },
  };
}
