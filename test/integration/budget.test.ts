import { describe, expect, it } from "vitest";
import { z } from "zod";

import type { AuditEvent } from "../control-plane/audit.ts";
import { stagedApplications } from "../support/env/applications.ts";
import { type Write, writesOf } from "../support/env/audit-tail.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { deploying, NEXT_COMMIT } from "../support/kube/manifests.ts";

const KIND = "PlatformApplication";

/** Longer than anything here takes, on a machine that does much else: what lasts over 10 s is another test. */
const SLOW = { deferMs: 20_000, graceMs: 8_000 } as const;

/** How many children there are, which parents show: news of a later look, and not part of a creation. */
const COUNTS: ReadonlySet<string> = new Set(["environmentCount", "environments", "serviceCount"]);
const StatusPatch = z.object({
  status: z.looseObject({
    conditions: z.array(z.object({ type: z.string(), status: z.string(), reason: z.string() })).optional(),
  }),
});

/**
 * The requests without those that only report how many children there are, or what the platform offers: the first answers
 * of a platform may come before a resource is Ready or after.
 */
function withoutNews(requests: readonly AuditEvent[]): readonly AuditEvent[] {
  const shown = new Map<string, string>();
  return requests.filter(({ requestObject, objectRef }) => {
    const patch = StatusPatch.safeParse(requestObject).data;
    if (patch === undefined) return true;
    const name = `${objectRef?.resource}/${objectRef?.name}`;
    const { conditions, ...rest } = patch.status;
    const others = JSON.stringify(conditions?.filter(({ type }) => type !== "Capabilities"));
    const isSame = conditions === undefined || shown.get(name) === others;
    if (conditions !== undefined) shown.set(name, others);
    return !isSame || !Object.keys(rest).every((key) => COUNTS.has(key));
  });
}

/** The custom resource that was written, whatever part of it. */
const subject = ({ what, name }: Write): string => `${what.split("/")[0]}/${name}`;

/** How often each object was written. */
function tally(writes: readonly Write[]): Record<string, number> {
  const groups = Object.entries(Object.groupBy(writes, subject));
  return Object.fromEntries(groups.map(([name, group]) => [name, group?.length ?? 0]));
}

describe.each(effort.few(["full", "documented"] as const))("the budget of writes on the %s surface", (surface) => {
  const env = createEnv({ surface, windows: SLOW });

  it("holds from YAML applied in one go to Ready, with one create and one deploy of each", async () => {
    const record = await env.record();
    await env.ready(...env.quickstart());
    await env.settled();
    const requests = await record.requests();
    const { objects } = writesOf(withoutNews(requests));
    expect(objects.filter(({ code }) => code >= 300)).toEqual([]);
    const counts = tally(objects);
    // The last one is the ingress, where services are not listed, or the progress of a deployment that takes long.
    for (const name of ["api", "web"]) {
      expect(counts[`platformapplications/${name}`], JSON.stringify(objects)).toBeLessThanOrEqual(5);
    }
    for (const name of [
      "platformprojects/shop",
      "platformenvironments/staging",
      "platformenvironments/production",
      "platformbindings/essentials",
      "platformcatalogs/catalog",
    ]) {
      expect(counts[name], `${name} of ${JSON.stringify(counts)}`).toBeLessThanOrEqual(3);
    }
    // It stores the operations that the platform has shown; on a slow machine they come in more steps.
    expect(counts["platformconnections/default"]).toBeLessThanOrEqual(5);

    const effects = record.changeCalls().flatMap((call) => call.effects.map((effect) => Object.keys(effect)[0]));
    const { created, deployed } = Object.groupBy(effects, (effect) => effect ?? "");
    expect({ created: created?.length, deployed: deployed?.length }).toEqual({ created: 5, deployed: 2 });
    expect(env.platform.world().projects.size).toBe(1);
    expect(env.platform.world().services.size).toBe(2);
  });

  it("is two writes for another commit, and none for anything else", async () => {
    const record = await env.record();
    await env.patch(KIND, "api", deploying(NEXT_COMMIT));
    await stagedApplications(env).deployed("api", NEXT_COMMIT);
    await env.settled();
    const { objects } = await record.writes();
    expect(tally(objects)).toEqual({ "platformapplications/api": 2 });
    expect(record.changes()).toEqual(["deployApplication"]);
  });
});
