/**
 * The tables of hops in docs/project/architecture.md §2, against the files that V8 saw run. The operator runs from its sources
 * and without Node's permission model, which forbids coverage.
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { startSimulator, type Simulator } from "../../simulator/simulator.ts";
import { DEADLINES_VARIABLE, WINDOWS_VARIABLE } from "../../src/config/config.ts";
import { OPERATOR } from "../../src/config/names.ts";
import { kubeconfigFor } from "../control-plane/access.ts";
import { comes } from "../support/env/cluster.ts";
import { type RunningOperator, startExactly } from "../support/env/operator.ts";
import { createStage, FAST } from "../support/env/stage.ts";
import {
  application,
  connection,
  deploying,
  environment,
  type Fixtures,
  NEXT_COMMIT,
  project,
  secret,
} from "../support/kube/manifests.ts";
import { hopsIn } from "../unit/hops.ts";
import { root } from "../unit/repository.ts";

/** Run at intervals, not because of a change of an object: for the leases, a new watch, the connections of watches. */
const ROUTINE: ReadonlySet<string> = new Set([
  "operator/leadership.ts",
  "operator/releases.ts",
  "kube/watch/list.ts",
  "kube/api/token-bucket.ts",
  "kube/api/watch-connections.ts",
]);
const SOURCES = pathToFileURL(join(root, "src/")).href;
const Range = z.object({ startOffset: z.number(), count: z.number() });
const Script = z.object({ url: z.string(), functions: z.array(z.object({ ranges: z.array(Range) })) });
const Coverage = z.object({ result: z.array(Script) });
const KIND = "PlatformApplication";

const without = (files: readonly string[], others: readonly string[]): readonly string[] =>
  files.filter((file) => !others.includes(file));

describe("the tables of hops", () => {
  const stage = createStage("hops", {});
  const cluster = stage.within(stage.namespace);
  const platforms: Simulator[] = [];
  let folder = "";
  let operator: RunningOperator | undefined;
  let taken = 0;

  /** Returns the files of src in which a function ran since the last call. */
  const ran = async (): Promise<ReadonlySet<string>> => {
    if (operator === undefined) throw new Error("the operator does not run");
    process.kill(operator.pid, "SIGUSR2");
    const coverage = await comes(async () => {
      const files = (await readdir(folder)).toSorted();
      const text = files.length > taken ? await readFile(join(folder, files.at(-1) ?? ""), "utf8") : "";
      return text.endsWith("}") ? text : undefined;
    }, 20_000);
    taken += 1;
    const scripts = Coverage.parse(JSON.parse(coverage ?? "")).result;
    // What begins where the file begins is its top level.
    const executed = scripts.filter(({ functions }) =>
      functions.some(({ ranges }) => ranges.some(({ startOffset, count }) => startOffset > 0 && count > 0)),
    );
    const names = executed.flatMap(({ url }) => (url.startsWith(SOURCES) ? url.slice(SOURCES.length) : []));
    return new Set(names.filter((name) => !ROUTINE.has(name)));
  };

  /** Waits until the files that ran since the last case are those named. */
  const expectRan = async (named: readonly string[]): Promise<void> => {
    const all = new Set<string>();
    await expect
      .poll(
        async () => {
          for (const file of await ran()) all.add(file);
          return { unnamed: without([...all], named), missing: without(named, [...all]) };
        },
        { timeout: 30_000, interval: 500 },
      )
      .toEqual({ unnamed: [], missing: [] });
  };

  /** Waits until no object was reconciled for a second. */
  const rest = async (): Promise<void> => {
    await vi.waitFor(
      async () => {
        expect([...(await ran())].filter((file) => file.startsWith("kinds/"))).toEqual([]);
      },
      { timeout: 30_000, interval: 1_000 },
    );
  };

  /** Applies a connection, a project and an environment of one name, and waits for them. */
  const place = async (name: string, surface: "documented" | "full"): Promise<void> => {
    const platform = await startSimulator({ surface, speed: 50 });
    platforms.push(platform);
    const env: Fixtures = { platform };
    await cluster.ready(
      secret(name, { token: platform.tokens.admin }),
      connection(env, name, { allowUnverifiedIds: true }),
      project(name, { connectionRef: { name } }),
      environment(env, name, name),
    );
  };

  const created = async (name: string): Promise<void> => {
    await cluster.ready(application(name, name, { lifecycle: { deletionPolicy: "Delete" } }));
    await cluster.waitFor(KIND, name, { type: "IngressReady", status: "True" });
  };

  beforeAll(async () => {
    await stage.open();
    folder = await mkdtemp(join(tmpdir(), "hops-"));
    const kubeconfig = await kubeconfigFor(stage.facts, stage.operatorNamespace, OPERATOR);
    const flags = ["--import", join(root, "test/support/programs/take-coverage.mjs")];
    const args = [
      "run",
      `--kubeconfig=${kubeconfig}`,
      "--metrics-bind-address=127.0.0.1:0",
      "--health-probe-bind-address=127.0.0.1:0",
      `--watch-namespaces=${stage.namespace}`,
      `--operator-namespace=${stage.operatorNamespace}`,
      "--allow-insecure-platform",
      "--allowed-platform-hosts=127.0.0.1",
    ];
    const env = {
      NODE_V8_COVERAGE: folder,
      // No poll falls into a case.
      [WINDOWS_VARIABLE]: JSON.stringify({ ...FAST, pollMs: 600_000 }),
      [DEADLINES_VARIABLE]: "{}",
    };
    operator = await startExactly({ flags, program: join(root, "src/main.ts"), args, env });
    await place("shop", "documented");
    await place("full", "full");
    await created("full");
    await rest();
  });

  afterAll(async () => {
    await operator?.kill();
    await Promise.all(platforms.map((platform) => platform.close()));
    await stage.client.close();
    await rm(folder, { recursive: true });
  });

  const { redeployment, create, deletion } = hopsIn();

  it("name the files of a create and no others", async () => {
    await created("shop");
    await expectRan([...redeployment, ...create]);
  });

  it("name the files of a redeployment and no others", async () => {
    await cluster.patch(KIND, "shop", deploying(NEXT_COMMIT));
    await cluster.waitFor(KIND, "shop", { status: "True" });
    await expectRan(redeployment);
  });

  it("name the files of a deletion on each surface", async () => {
    await cluster.delete(application("shop", "shop"), application("full", "full"));
    const all = new Set<string>();
    await expect
      .poll(
        async () => {
          for (const file of await ran()) all.add(file);
          return without(deletion, [...all]);
        },
        { timeout: 30_000, interval: 500 },
      )
      .toEqual([]);
    expect(without([...all], [...redeployment, ...create, ...deletion])).toEqual([]);
  });
});
