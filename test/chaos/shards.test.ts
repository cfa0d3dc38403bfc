/** [D3] Shards: several processes divide the objects, and their number changes while they work. */
import { describe, expect, it } from "vitest";

import { shardOf } from "../../src/kube/watch/assignment.ts";
import { comes } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import type { RunningOperator } from "../support/env/operator.ts";
import { COMMIT, defaults, deploying, NEXT_COMMIT, project, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { deployments } from "./effects.ts";
import { type ChaosEnv, openChaosEnv } from "./env.ts";
import { TIMEOUT_MS } from "./lease-log.ts";
import { doubleActions } from "./lifecycle/actions.ts";
import { isReady, waitAsUser } from "./lifecycle/chapters.ts";
import { duplicates } from "./lifecycle/invariants.ts";

/** Names that differ in the lowest bit of one character: of two shards, each has one of them. */
const NAMESPACES = ["b", "c"];
const LAST_COMMIT = "fedcba9876543210fedcba9876543210fedcba98";

/** Starts the processes of a number of shards; one is a process without shards. */
async function startShards(env: ChaosEnv, shards: number): Promise<readonly RunningOperator[]> {
  const started: RunningOperator[] = [];
  for (let index = 0; index < shards; index += 1) {
    const args = [`--shards=${String(shards)}`, `--shard-index=${String(index)}`];
    started.push(await env.startAnother(shards === 1 ? [] : args));
  }
  return started;
}

/** Opens an environment with a tree in each namespace, and these shards. */
async function withTrees(shards: number) {
  const env = await openChaosEnv({ surface: "documented", args: [], more: NAMESPACES });
  // It releases the lease, so the shards need not wait for its end.
  if (shards > 1) await env.operator.stop();
  const processes = shards === 1 ? [env.operator] : await startShards(env, shards);
  for (const suffix of NAMESPACES) {
    await env.at(suffix).apply(...defaults(env), ...tree(env, `shop-${suffix}`));
  }
  await allReady(env);
  return { env, processes };
}

async function allReady(env: ChaosEnv, name = "shop"): Promise<void> {
  const { platform, userActions } = env;
  for (const suffix of NAMESPACES) {
    const view = { ...env.at(suffix), platform, userActions };
    await waitAsUser(view, "PlatformApplication", `${name}-${suffix}`, isReady, TIMEOUT_MS);
  }
}

/** @throws Error when the process has not logged the message after TIMEOUT_MS */
async function hasLogged(process: RunningOperator, message: string): Promise<void> {
  const isLogged = () => process.logs().some((line) => line.message === message);
  if ((await comes(() => Promise.resolve(isLogged() ? true : undefined), TIMEOUT_MS)) === undefined)
    throw new Error(`a process has not logged "${message}":\n${process.output()}`);
}

async function deployEverywhere(env: ChaosEnv, commit: string): Promise<void> {
  for (const suffix of NAMESPACES)
    await env.at(suffix).patch("PlatformApplication", `shop-${suffix}`, deploying(commit));
}

/** Returns a sentence for each change that a process made in a namespace of another shard. */
function strays(processes: readonly RunningOperator[]): readonly string[] {
  return processes.flatMap((process, index) =>
    process.logs().flatMap((line) => {
      const { logger, namespace, name, op } = line as Record<string, unknown>;
      const isStray = logger === "changes" && shardOf(String(namespace), processes.length) !== index;
      return isStray ? [`shard ${String(index)} made ${String(op)} of ${String(namespace)}/${String(name)}`] : [];
    }),
  );
}

const writesTo = (calls: ChaosEnv["calls"]) =>
  calls.filter(({ side, method }) => side === "platform" && method !== "GET");

/**
 * Returns a sentence for each write to the platform by one of the fresh processes before the former ones had ended.
 * @param endedAt when the last of them ended, in milliseconds since 1970
 */
function overlaps(env: ChaosEnv, fresh: readonly RunningOperator[], endedAt: number): readonly string[] {
  const pids = new Set(fresh.map(({ pid }) => pid));
  const early = writesTo(env.calls).filter(({ pid, at }) => pid !== undefined && pids.has(pid) && at < endedAt);
  return early.map(({ what }) => `${what} while processes of the former number of shards ran`);
}

/** Returns a sentence for each commit that was deployed to an application neither once nor as often as a user asked. */
function wrongDeployments(env: ChaosEnv, name: string, commits: readonly string[]): readonly string[] {
  const deployed = deployments(env);
  const expected = NAMESPACES.flatMap((suffix) => commits.map((commit) => `${name}-${suffix} ${commit}`));
  return expected.flatMap((one) => {
    const { length } = deployed.filter((deployment) => deployment === one);
    const again = env.userActions.filter(({ name: of, repeats }) => repeats === "deploy" && one.startsWith(`${of} `));
    return length >= 1 && length <= 1 + again.length ? [] : [`${one} was deployed ${String(length)} times`];
  });
}

describe("two shards", () => {
  it("divide the namespaces, and none takes an object that the other one holds", async () => {
    const { env: opened, processes } = await withTrees(2);
    await using env = opened;
    await deployEverywhere(env, NEXT_COMMIT);
    await allReady(env);
    const { status } = await env.at("b").get("PlatformProject", "shop-b");
    const { externalId } = status as { readonly externalId: string };
    await env.at("c").apply(project("thief", { name: "shop-b", externalId }));
    await env.at("c").waitFor("PlatformProject", "thief", { status: "False", reason: "AlreadyManaged" }, TIMEOUT_MS);
    expect(strays(processes)).toEqual([]);
    expect(processes.map((one) => one.logs().some(({ message }) => message === "leading"))).toEqual([true, true]);
    expect([
      ...duplicates(env),
      ...doubleActions(env, 0),
      ...wrongDeployments(env, "shop", [COMMIT, NEXT_COMMIT]),
    ]).toEqual([]);
  });
});

const CHANGES = [
  [1, 2],
  [2, 1],
  [2, 3],
  [3, 2],
] as const;
const plans = Array.from({ length: 20 }, (_, index) => {
  const [from, to] = CHANGES[index % CHANGES.length] ?? CHANGES[0];
  return { seed: effort.seed * 1_000 + index, from, to };
});

// One at a time: a plan has up to five processes, each with some 40 watches, beside the other files' operators.
describe("[D3] a change of the number of shards", () => {
  it.for(effort.all ? plans : plans.slice(4, 5))("$seed from $from to $to", async ({ seed, from, to }, { task }) => {
    const { env: opened, processes: old } = await withTrees(from);
    await using env = opened;
    // As in a rolling update, the former processes work until the new ones have filled their caches. The seed chooses
    // how many calls of a deployment they make before they end, and how.
    const fresh = await startShards(env, to);
    for (const process of fresh) await hasLogged(process, "caches are filled");
    const before = env.calls.length;
    await deployEverywhere(env, NEXT_COMMIT);
    for (const suffix of NAMESPACES) await env.at(suffix).apply(...tree(env, `later-${suffix}`));
    const madeEnough = () => writesTo(env.calls.slice(before)).length > seed % 8;
    await comes(() => Promise.resolve(madeEnough() ? true : undefined), TIMEOUT_MS);
    for (const [index, process] of old.entries()) await ((seed + index) % 2 === 0 ? process.kill() : process.stop());
    const endedAt = Date.now();
    await allReady(env);
    await allReady(env, "later");
    await deployEverywhere(env, LAST_COMMIT);
    await allReady(env);
    const seconds = ((Date.now() - endedAt) / 1_000).toFixed(1);
    const violations = [
      ...duplicates(env),
      ...doubleActions(env, 0),
      ...wrongDeployments(env, "shop", [COMMIT, NEXT_COMMIT, LAST_COMMIT]),
      ...wrongDeployments(env, "later", [COMMIT]),
      ...overlaps(env, fresh, endedAt),
      ...strays(from === 1 ? [] : old),
      ...strays(to === 1 ? [] : fresh),
    ];
    expect(violations, violations.join("\n")).toEqual([]);
    figure(task, `all Ready ${seconds} s after the last of the former processes ended`);
  });
});
