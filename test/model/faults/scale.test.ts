import { describe, expect, it } from "vitest";

import type { KubeObject } from "../../../src/kube/api/types.ts";
import type { ChaosEnv } from "../../chaos/in-process/env.ts";
import { createLoadEnv, isReady } from "../../chaos/in-process/load.ts";
import { openPlatforms } from "../../chaos/in-process/platform.ts";
import { effort } from "../../support/env/effort.ts";
import { defaults } from "../../support/kube/manifests.ts";
import { HOUR, MINUTE, SECOND } from "../../support/platform/durations.ts";
import { figure } from "../../support/platform/figure.ts";
import { shop, SHOP, SHOP_CHANGES } from "../../support/services/fixtures.ts";

const OBJECTS = effort.cases(100, 5_000);
/** Half of what the workers can send at CALL_MS a call, so that it is the budget that they wait for. */
const RATE = 25;

const platforms = openPlatforms();

const services = ({ cluster }: ChaosEnv): readonly KubeObject[] =>
  cluster.all().filter(({ kind }) => kind !== "PlatformConnection");

/**
 * Does something to all objects and waits until it is so.
 * @returns the seconds that it took, and the calls
 */
async function phase(env: ChaosEnv, act: () => void, isOver: () => boolean) {
  const [since, before] = [env.clock.monotonic(), env.platform.calls().length];
  act();
  for (let looks = 0; !isOver() && looks < 2_000; looks += 1) await env.until(() => false, SECOND);
  expect(isOver()).toBe(true);
  return { seconds: (env.clock.monotonic() - since) / SECOND, calls: env.platform.calls().length - before };
}

describe("[D5] thousands of objects in memory", { timeout: 1_200_000 }, () => {
  it("are created, changed and deleted as fast as the rate limit allows, and cost at most one call a poll", async ({
    task,
  }) => {
    const env = createLoadEnv(platforms(), { surface: "full" });
    const { cluster, platform } = env;
    const rateLimit = { requestsPerSecond: RATE, burst: RATE };
    for (const manifest of defaults({ platform }, { rateLimit })) cluster.apply(manifest);
    const shops = Array.from({ length: OBJECTS / SHOP }, (_, index) => `shop-${index}`);
    const areReady = (): boolean => services(env).every(isReady);

    const created = await phase(
      env,
      () => shops.flatMap((name) => shop({ platform }, name)).forEach((manifest) => cluster.apply(manifest)),
      areReady,
    );
    const changed = await phase(
      env,
      () =>
        services(env).forEach(({ kind, metadata }) =>
          cluster.patch(kind, metadata.name, { spec: SHOP_CHANGES[kind] ?? {} }),
        ),
      areReady,
    );
    for (const { seconds, calls } of [created, changed]) expect(seconds).toBeLessThanOrEqual(calls / RATE + 30);

    // All at rest: looked at every 10 minutes, ± 10 %.
    await env.until(() => false, 20 * MINUTE);
    const [version, before] = [cluster.version(), platform.calls().length];
    await env.until(() => false, HOUR);
    const idle = platform.calls().slice(before);
    expect(cluster.version()).toBe(version);
    expect(idle.filter(({ method }) => method !== "GET")).toEqual([]);
    const perLook = idle.length / OBJECTS / 6;
    expect(perLook).toBeLessThanOrEqual(1);

    const deleted = await phase(
      env,
      () => services(env).forEach(({ kind, metadata }) => cluster.remove(kind, metadata.name)),
      () => services(env).length === 0,
    );
    expect(deleted.seconds).toBeLessThanOrEqual(deleted.calls / RATE + 120);
    expect(platform.world().projects.size).toBe(0);
    expect(env.internalErrors).toEqual([]);
    const took = [created, changed, deleted].map(({ seconds }) => seconds.toFixed(0)).join(", ");
    figure(
      task,
      `${OBJECTS} objects at ${RATE} calls/s: created, changed, deleted in ${took} s; ${perLook.toFixed(2)} calls per object and look at rest`,
    );
  });
});
