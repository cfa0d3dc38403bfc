/** Debian's Prometheus on loopback, with its data in a temporary folder. */
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll } from "vitest";
import { stringify } from "yaml";
import { z } from "zod";

import { newFolder } from "../e2e/folder.ts";
import { comes } from "../support/env/cluster.ts";
import { freePort } from "../support/programs/free-port.ts";
import { startProgram } from "../support/programs/programs.ts";
import { findDebianProgram } from "../tools/debian.ts";
import type { Recording, Rule } from "./rules.ts";

export type Labels = Readonly<Record<string, string>>;

/** A series with its value or values over time, each as [seconds since 1970, number as text]. */
export interface Series {
  readonly metric: Labels;
  readonly values: readonly (readonly [number, string])[];
}

/** The scrape interval, as short as possible on a busy machine. */
const SCRAPE_SECONDS = 2;
const START_MS = 60_000;
const ALERT_MS = 150_000;

const Result = z.array(
  z.object({
    metric: z.record(z.string(), z.string()),
    value: z.tuple([z.number(), z.string()]).optional(),
    values: z.array(z.tuple([z.number(), z.string()])).optional(),
  }),
);
const Answer = z.discriminatedUnion("status", [
  z.object({ status: z.literal("success"), data: z.unknown() }),
  z.object({ status: z.literal("error"), error: z.string() }),
]);
const Alerts = z.object({
  alerts: z.array(z.object({ labels: z.record(z.string(), z.string()), state: z.string() })),
});

/** Starts it until the tests of the file end. @param rules evaluated each second. @throws Error when it does not start */
export async function startPrometheus(rules: readonly (Rule | Recording)[]) {
  const dir = await newFolder("prometheus");
  const targets = join(dir, "targets.json");
  await writeFile(join(dir, "rules.yaml"), stringify({ groups: [{ name: "scaled", rules }] }));
  await writeFile(targets, "[]");
  await writeFile(join(dir, "prometheus.yaml"), stringify(configuration(dir, targets)));
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  const program = startProgram({
    file: await findDebianProgram("prometheus"),
    args: [
      `--config.file=${join(dir, "prometheus.yaml")}`,
      `--storage.tsdb.path=${join(dir, "data")}`,
      `--web.listen-address=${address}`,
      "--log.level=error",
    ],
  });
  afterAll(() => program.stop());
  const isReady = async () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    );
  if ((await comes(isReady, START_MS)) === undefined) {
    throw new Error(`Prometheus is not ready in time:\n${program.output()}`);
  }
  return {
    ...queriesOf(url),
    /** Adds a server to the scraped ones, with this job and the namespace "ops". */
    scrape: scraping(targets),
  };
}

function configuration(dir: string, targets: string): object {
  return {
    global: {
      scrape_interval: `${SCRAPE_SECONDS}s`,
      scrape_timeout: `${SCRAPE_SECONDS}s`,
      evaluation_interval: "1s",
    },
    rule_files: [join(dir, "rules.yaml")],
    scrape_configs: [{ job_name: "operators", file_sd_configs: [{ files: [targets] }] }],
  };
}

function scraping(file: string): (job: string, metricsUrl: string) => Promise<void> {
  const groups: object[] = [];
  let written = Promise.resolve();
  const write = async (): Promise<void> => {
    // Prometheus reads a file as soon as it changes: a rename is atomic.
    await writeFile(`${file}.new`, JSON.stringify(groups));
    await rename(`${file}.new`, file);
  };
  return async (job, metricsUrl) => {
    const pod = `${job}-${groups.length}`;
    groups.push({ targets: [new URL(metricsUrl).host], labels: { job, namespace: "ops", pod } });
    // One after the other: concurrent writes would rename each other's file.
    written = written.then(write);
    await written;
  };
}

function queriesOf(url: string) {
  const get = async (path: string, parameters: Labels = {}): Promise<unknown> => {
    const query = new URLSearchParams(parameters).toString();
    const answer = Answer.parse(await (await fetch(`${url}/api/v1/${path}?${query}`)).json());
    if (answer.status === "error") throw new Error(`${parameters["query"] ?? path}: ${answer.error}`);
    return answer.data;
  };
  const series = async (path: string, parameters: Labels): Promise<readonly Series[]> => {
    const { result } = z.object({ result: Result }).parse(await get(path, parameters));
    return result.map(({ metric, value, values = [] }) => ({ metric, values: value === undefined ? values : [value] }));
  };
  const firing = async (alert: string, job?: string): Promise<readonly Labels[]> => {
    const { alerts } = Alerts.parse(await get("alerts"));
    return alerts
      .filter(({ labels, state }) => state === "firing" && labels["alertname"] === alert && labels["job"] === job)
      .map(({ labels }) => labels);
  };
  return {
    /** @returns the labels of the alerts of a name and job that fire now; an alert may have no job */
    firing,
    /** @returns the current value of an expression. @throws Error with Prometheus's message */
    query: (query: string) => series("query", { query }),
    /** @returns its values since `from`, one per second. @throws Error with Prometheus's message */
    queryRange: async (query: string, from: Date) => {
      const [start, end] = [from, new Date()].map((date) => date.toISOString());
      return series("query_range", { query, start: start ?? "", end: end ?? "", step: "1s" });
    },
    /** @returns the first alert that fires. @throws Error when none does in time */
    untilFiring: async (alert: string, job?: string): Promise<Labels> => {
      const found = await comes(async () => (await firing(alert, job))[0], ALERT_MS);
      if (found === undefined) throw new Error(`${alert} of ${job ?? "no job"} does not fire`);
      return found;
    },
    /** @throws Error when it still fires after a while */
    untilQuiet: async (alert: string, job?: string): Promise<void> => {
      const quiet = async () => ((await firing(alert, job)).length === 0 ? true : undefined);
      if ((await comes(quiet, ALERT_MS)) === undefined) throw new Error(`${alert} of ${job ?? "no job"} still fires`);
    },
  };
}
