/** Whatever a platform answers: what a kind reports fits its CRD, and comes to rest. */
import { isDeepStrictEqual } from "node:util";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { JsonObject, Kind } from "../../src/engine/contract/kind.ts";
import type { ReconcileResult } from "../../src/engine/status/build.ts";
import { readableDatabase } from "../support/hostile/databases.ts";
import { readable, observations, type Observation } from "../support/hostile/observations.ts";
import { composed, newObject } from "../support/kinds/composed.ts";

/** What would be stored after this observation, and what comes of the plan. */
function stored(
  kind: Kind,
  { pass, observed }: Observation,
  before: JsonObject = {},
): { readonly status: JsonObject; readonly isStep: boolean } {
  const plan = kind.plan(pass, observed);
  const report = kind.report(pass, observed);
  const working = { reason: "Progressing" as const, message: "Work is under way." };
  const isStep = plan.is === "step" || plan.is === "adopt";
  const ending: ReconcileResult =
    plan.is === "settled"
      ? { is: "settled", why: report.ready }
      : { is: "waiting", exchange: "ok", why: isStep ? working : plan.why };
  const shown: ReconcileResult = plan.is === "stalled" ? { is: "stalled", exchange: "ok", why: plan.why } : ending;
  const object = { ...newObject(kind.resource.kind, {}), status: before };
  return {
    isStep,
    status: composed({ object, result: shown, report, memory: pass.memory, context: pass }),
  };
}

function again(kind: Kind, observation: Observation): Observation {
  if (kind.resource.kind === "PlatformDatabase") return readableDatabase(observation as never);
  return kind.resource.kind === "PlatformApplication" ? readable(observation as never) : observation;
}

describe.each(observations)("the status of a kind: %s", (_name, kind, arbitrary) => {
  it("[E5] fits its CRD, member by member, whatever the platform answers", () => {
    fc.assert(
      fc.property(arbitrary, (observation) => {
        const { status } = stored(kind, observation);
        const parsed = kind.resource.status.safeParse(status);
        expect(parsed.error?.issues).toBeUndefined();
        // Members that the schema does not know would be missing here, as the API server prunes them.
        expect(parsed.data).toEqual(status);
      }),
      { numRuns: 150 },
    );
  });

  it("comes to rest: looking again at the same thing, later, writes nothing", () => {
    fc.assert(
      fc.property(arbitrary, (observation) => {
        // The first look may end a deployment that was followed; from then on there is nothing new.
        let look = stored(kind, observation);
        const looks = [look];
        for (const day of [22, 23]) {
          const memory = kind.resource.memory.parse(look.status);
          const pass = { ...observation.pass, memory, now: new Date(Date.UTC(2026, 10, day)) };
          look = stored(kind, again(kind, { pass, observed: observation.observed }), look.status);
          looks.push(look);
        }
        fc.pre(looks.every(({ isStep }) => !isStep));
        expect(looks[2]?.status).toEqual(looks[1]?.status);
        expect(isDeepStrictEqual(looks[2]?.status, looks[1]?.status)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it("[E6] holds no text that the API server would store otherwise, and no secret", () => {
    fc.assert(
      fc.property(arbitrary, (observation) => {
        const { status } = stored(kind, observation);
        expect(JSON.stringify(status)).not.toContain("s3cret-value");
        const odd: string[] = [];
        JSON.stringify(status, (_key, value: unknown) => {
          if (typeof value === "string" && !value.isWellFormed()) odd.push(value);
          return value;
        });
        expect(odd).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});
