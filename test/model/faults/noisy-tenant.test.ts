import { describe, expect, it } from "vitest";

import { sleep } from "../../../src/platform/transport/clock.ts";
import { TransportError } from "../../../src/platform/transport/errors.ts";
import type { HttpAnswer, HttpRequest } from "../../../src/platform/transport/http.ts";
import type { ChaosEnv } from "../../chaos/in-process/env.ts";
import { CALL_MS, createLoadEnv, isReady, type LoadOptions } from "../../chaos/in-process/load.ts";
import { openPlatforms } from "../../chaos/in-process/platform.ts";
import { effort } from "../../support/env/effort.ts";
import { connection, project, resource, secret } from "../../support/kube/manifests.ts";
import { MINUTE, SECOND } from "../../support/platform/durations.ts";
import { figure } from "../../support/platform/figure.ts";

const CANARIES = effort.cases(4, 12);
const NOISY = effort.cases(200, 1_000);

const platforms = openPlatforms();

const isNoisy = ({ method, body = "" }: HttpRequest): boolean => method === "POST" && body.includes("noisy-");

const FAILS: Readonly<Record<string, NonNullable<LoadOptions["answer"]>>> = {
  "answered with 503": (request, clock) => (isNoisy(request) ? refused(clock) : undefined),
  "never answered": (request, clock) => (isNoisy(request) ? hung(request, clock) : undefined),
};

async function refused(clock: ChaosEnv["clock"]): Promise<HttpAnswer> {
  await sleep(clock, CALL_MS);
  return { status: 503, text: "{}", header: () => undefined };
}

async function hung({ deadlineMs }: HttpRequest, clock: ChaosEnv["clock"]): Promise<HttpAnswer> {
  await sleep(clock, deadlineMs);
  throw new TransportError("deadline", "no answer");
}

/** Two tenants of one platform, by a connection of each, or one that both use. Budgets are those that nobody set. */
async function tenants(connections: "shared" | "own", answer: LoadOptions["answer"]): Promise<ChaosEnv> {
  const env = createLoadEnv(platforms(), { surface: "full", ...(answer === undefined ? {} : { answer }) });
  const { cluster, platform } = env;
  const own = connection({ platform }, "default", { rateLimit: {} });
  const token = secret("default", { token: platform.tokens.admin });
  const names = ["noisy", "quiet"];
  for (const name of [...names, "operator"]) cluster.apply({ ...resource("Namespace", name, {}), apiVersion: "v1" });
  if (connections === "own") {
    for (const name of names) {
      cluster.apply(token, name);
      cluster.apply(own, name);
    }
  } else {
    cluster.apply(token, "operator");
    const spec = { ...(own["spec"] as object), allowedNamespaces: { names } };
    cluster.apply(resource("ClusterPlatformConnection", "default", spec));
  }
  await env.until(() => false, 10 * SECOND);
  return env;
}

/** How long the quiet tenant's changes take until they are Ready, in milliseconds, the longest last. */
async function canaries(env: ChaosEnv): Promise<readonly number[]> {
  const { cluster, clock } = env;
  const took: number[] = [];
  for (let index = 0; index < CANARIES; index += 1) {
    const name = `canary-${index}`;
    const since = clock.monotonic();
    cluster.apply(project(name), "quiet");
    expect(await env.until(() => isReady(cluster.find("PlatformProject", name, "quiet")), 5 * MINUTE), name).toBe(true);
    took.push(clock.monotonic() - since);
    await env.until(() => false, 7 * SECOND);
  }
  return took.toSorted((left, right) => left - right);
}

describe("[D7] a tenant whose requests all fail", () => {
  const rows = (["shared", "own"] as const).flatMap((connections) =>
    Object.keys(FAILS).map((fails) => [connections, fails] as const),
  );

  it.for(effort.few(rows))(
    "delays its neighbour's changes at most to twice their time (%s connection, %s)",
    async ([connections, fails], { task }) => {
      const usual = await canaries(await tenants(connections, undefined));
      const env = await tenants(connections, FAILS[fails]);
      for (let index = 0; index < NOISY; index += 1) env.cluster.apply(project(`noisy-${index}`), "noisy");
      await env.until(() => false, SECOND);
      const beside = await canaries(env);
      const [slowest = 0, limit = 0] = [beside.at(-1), usual.at(-1)];
      expect(slowest, beside.join(" ")).toBeLessThanOrEqual(2 * limit);
      expect(env.internalErrors).toEqual([]);
      const text = `${connections} connection, ${NOISY} ${fails}: ${slowest / SECOND} s at most, ${limit / SECOND} s else`;
      figure(task, text, CANARIES);
    },
  );
});
