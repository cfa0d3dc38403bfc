/** A real Prometheus, Debian's, on loopback, with its data in a folder of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { stringify } from "yaml";
import { z } from "zod";

import { comes } from "../support/env/cluster.ts";
import { freePort } from "../support/programs/free-port.ts";
import { findDebianProgram } from "../tools/debian.ts";
import type { Recording, Rule } from "./rules.ts";

export type Labels = Readonly<Record<string, string>>;

/** A series with one value, or with its values over time; both as [seconds since 1970, number as text]. */
export interface Series {
  readonly metric: Labels;
  readonly values: readonly (readonly [number, string])[];
}

export interface Prometheus {
  /** Scrapes a server under this job from now on, and what it scraped before too; the namespace is "ops". */
  scrape(job: string, metricsUrl: string): Promise<void>;
  /** @returns what an expression is now. @throws Error with the words of Prometheus */
  query(expr: string): Promise<readonly Series[]>;
  /** @returns what it was since `from`, every second. @throws Error with the words of Prometheus */
  queryRange(expr: string, from: Date): Promise<readonly Series[]>;
  /** The alerts of a name that fire now, by their labels; of one job unless it has none. */
  firing(alert: string, job?: string): Promise<readonly Labels[]>;
  /** @returns the first alert that fires. @throws Error when none does in time */
  untilFiring(alert: string, job?: string): Promise<Labels>;
  /** @throws Error when it still fires after a while */
  untilQuiet(alert: string, job?: string): Promise<void>;
  stop(): Promise<void>;
}

/** Seconds between two looks at each operator, as short as a busy machine bears. */
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

/** @param rules what it evaluates each second. @throws Error when it does not come up */
export async function startPrometheus(rules: readonly (Rule | Recording)[]): Promise<Prometheus> {
  const program = await findDebianProgram("prometheus");
  const dir = await mkdtemp(join(tmpdir(), "prometheus-"));
  const targets = join(dir, "targets.json");
  await writeFile(join(dir, "rules.yaml"), stringify({ groups: [{ name: "scaled", rules }] }));
  await writeFile(targets, "[]");
  await writeFile(join(dir, "prometheus.yaml"), stringify(configuration(dir, targets)));
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(
    process.execPath,
    [
      join(import.meta.dirname, "../support/programs/lifeline.ts"),
      program,
      `--config.file=${join(dir, "prometheus.yaml")}`,
      `--storage.tsdb.path=${join(dir, "data")}`,
      `--web.listen-address=${new URL(url).host}`,
      "--log.level=error",
    ],
    { env: { PATH: process.env["PATH"] }, stdio: ["ignore", "inherit", "inherit", "ipc"] },
  );
  const exited = once(child, "exit");
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await exited;
    await rm(dir, { recursive: true });
  };
  const isReady = async () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    );
  if ((await comes(isReady, START_MS)) === undefined) {
    await stop();
    throw new Error("Prometheus is not ready in time; its own words are above");
  }
  return { ...asked(url), scrape: scraping(targets), stop };
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

function scraping(file: string): Prometheus["scrape"] {
  const groups: object[] = [];
  let written = Promise.resolve();
  const write = async (): Promise<void> => {
    // Prometheus looks as soon as a file changes: it finds the old one or the new one, whole.
    await writeFile(`${file}.new`, JSON.stringify(groups));
    await rename(`${file}.new`, file);
  };
  return async (job, metricsUrl) => {
    const pod = `${job}-${groups.length}`;
    groups.push({ targets: [new URL(metricsUrl).host], labels: { job, namespace: "ops", pod } });
    // One after the other: scenes that begin at once would take the new file away from each other.
    written = written.then(write);
    await written;
  };
}

function asked(url: string): Omit<Prometheus, "scrape" | "stop"> {
  const ask = async (path: string, parameters: Labels = {}): Promise<unknown> => {
    const query = new URLSearchParams(parameters).toString();
    const answer = Answer.parse(await (await fetch(`${url}/api/v1/${path}?${query}`)).json());
    if (answer.status === "error") throw new Error(`${parameters["query"] ?? path}: ${answer.error}`);
    return answer.data;
  };
  const series = async (path: string, parameters: Labels): Promise<readonly Series[]> => {
    const { result } = z.object({ result: Result }).parse(await ask(path, parameters));
    return result.map(({ metric, value, values = [] }) => ({ metric, values: value === undefined ? values : [value] }));
  };
  const firing: Prometheus["firing"] = async (alert, job) => {
    const { alerts } = Alerts.parse(await ask("alerts"));
    return alerts
      .filter(({ labels, state }) => state === "firing" && labels["alertname"] === alert && labels["job"] === job)
      .map(({ labels }) => labels);
  };
  return {
    firing,
    query: async (query) => series("query", { query }),
    queryRange: async (query, from) => {
      const [start, end] = [from, new Date()].map((date) => date.toISOString());
      return series("query_range", { query, start: start ?? "", end: end ?? "", step: "1s" });
    },
    untilFiring: async (alert, job) => {
      const found = await comes(async () => (await firing(alert, job))[0], ALERT_MS);
      if (found === undefined) throw new Error(`${alert} of ${job ?? "no job"} does not fire`);
      return found;
    },
    untilQuiet: async (alert, job) => {
      const quiet = async () => ((await firing(alert, job)).length === 0 ? true : undefined);
      if ((await comes(quiet, ALERT_MS)) === undefined) throw new Error(`${alert} of ${job ?? "no job"} still fires`);
    },
  };
}
