/** Whatever a platform answers: what a kind reports fits its CRD, and comes to rest. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { JsonObject, ReconcileContext } from "../../src/engine/contract/kind.ts";
import { memoryIn } from "../../src/engine/contract/status.ts";
import type { ReconcileResult } from "../../src/engine/status/outcome.ts";
import { type KindName, RESOURCES } from "../../src/kinds/index.ts";
import { ApiError } from "../../src/platform/transport/errors.ts";
import { effort } from "../support/env/effort.ts";
import { composed } from "../support/kinds/composed.ts";
import { stored } from "../support/kube/stored.ts";
import { type HostilePlatform, type Look, SECRET, startHostilePlatform } from "./hostile-reads.ts";

let platform: HostilePlatform;
beforeAll(async () => {
  platform = await startHostilePlatform();
});
afterAll(() => platform.close());

/** What would be stored after an observation, and what comes of the plan. */
async function storedAfter(
  { kind, observe }: Look,
  context: ReconcileContext,
  before: JsonObject = {},
): Promise<{ readonly status: JsonObject; readonly isStep: boolean }> {
  const observed = await observe(context);
  const plan = kind.plan(context, observed);
  const report = kind.report(context, observed);
  const working = { reason: "Progressing" as const, message: "Work is under way." };
  const isStep = plan.is === "step" || plan.is === "adopt";
  const ending: ReconcileResult =
    plan.is === "settled"
      ? { is: "settled", why: report.ready }
      : { is: "waiting", exchange: "ok", why: isStep ? working : plan.why };
  const result: ReconcileResult = plan.is === "stalled" ? { is: "stalled", exchange: "ok", why: plan.why } : ending;
  const object = stored(kind.resource.kind, "thing", { status: before });
  return {
    isStep,
    status: composed({ object, result, report, resource: kind.resource, memory: context.memory, context }),
  };
}

describe.each(RESOURCES.map(({ kind }) => kind as KindName))("the status of a %s", (name) => {
  /** Checks reconciles whose reads succeed. */
  const eachLook = ([few, many]: readonly [number, number], check: (look: Look) => Promise<void>): Promise<void> =>
    fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat()), async (numbers) => {
        await check(platform.look(numbers, name)).catch((error: unknown) => {
          fc.pre(!(error instanceof ApiError));
          throw error;
        });
      }),
      { numRuns: effort.cases(few, many), seed: effort.seed },
    );

  it("[E5] fits its CRD, whatever the platform answers", () =>
    eachLook([30, 300], async (look) => {
      const { status } = await storedAfter(look, look.context);
      const parsed = look.kind.resource.status.safeParse(status);
      expect(parsed.error?.issues).toBeUndefined();
      // Members that the schema does not know would be missing here, as the API server prunes them.
      expect(parsed.data).toEqual(status);
    }));

  it("does not change when the same objects are observed again later", () =>
    eachLook([15, 150], async (look) => {
      // A look ends what was followed: the first one by the platform's answer, the second one by a time limit.
      const looks = [await storedAfter(look, look.context)];
      for (const day of [1, 2, 3]) {
        const { status } = looks.at(-1)!;
        const memory = memoryIn(look.kind.resource, { status });
        looks.push(await storedAfter(look, { ...look.context, memory, now: new Date(Date.UTC(2027, 0, day)) }, status));
      }
      fc.pre(looks.every(({ isStep }) => !isStep));
      expect(looks[3]?.status).toStrictEqual(looks[2]?.status);
    }));

  it("[E6] contains no secret, and no text that the API server would store differently", () =>
    eachLook([15, 150], async (look) => {
      const { status } = await storedAfter(look, look.context);
      expect(JSON.stringify(status)).not.toContain(SECRET);
      const odd: string[] = [];
      JSON.stringify(status, (_key, value: unknown) => {
        if (typeof value === "string" && !value.isWellFormed()) odd.push(value);
        return value;
      });
      expect(odd).toEqual([]);
    }));
});
