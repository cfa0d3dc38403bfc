/** SIGTERM in the middle of things. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { member } from "../../src/kube/json.ts";
import { INTENT } from "../../src/resources/base/names.ts";
import { effort } from "../support/effort.ts";
import { figure } from "../support/figure.ts";
import { COMMIT, defaults, deploying, NEXT_COMMIT, tree } from "../support/manifests.ts";
import type { Exit } from "../support/operator.ts";
import { type Bed, openBed } from "./bed.ts";
import { effects } from "./effects.ts";
import type { Call } from "./tap/call.ts";

const TREE = ["PlatformProject", "PlatformEnvironment", "PlatformApplication"] as const;
interface Point {
  /** What a user does; what is from before is over by then unless the user did nothing yet. */
  readonly act?: (bed: Bed) => Promise<void>;
  /** The call during which the operator is told to stop; it is answered a while later. */
  readonly at: string;
}

const POINTS: readonly Point[] = [
  { at: "kube PATCH platformprojects/shop" },
  { at: "platform createEnvironment shop" },
  { at: "platform createApplication shop" },
  {
    act: (bed) => bed.patch("PlatformApplication", "shop", deploying(NEXT_COMMIT)),
    at: "kube PATCH platformapplications/shop/status",
  },
  { act: (bed) => bed.patch("PlatformApplication", "shop", deploying(COMMIT)), at: "platform deployApplication shop" },
];

describe("[A7] SIGTERM", () => {
  let bed: Bed;
  let longest = 0;

  beforeAll(async () => {
    bed = await openBed({ surface: "full" });
    await bed.kill();
  });
  afterAll(async () => {
    await bed[Symbol.asyncDispose]();
  });

  /** Stops the operator during the first call that is meant. */
  const stopAt = (isMeant: (call: Call) => boolean): Promise<Exit> =>
    new Promise((resolve) => {
      bed.director = {
        decide: (call) => {
          if (!isMeant(call)) return { do: "pass" };
          bed.director = {};
          const since = performance.now();
          process.kill(bed.operator.pid, "SIGTERM");
          resolve(
            bed.operator.exited.then((exit) => {
              longest = Math.max(longest, performance.now() - since);
              return exit;
            }),
          );
          return { do: "slow", ms: 300 };
        },
      };
    });

  /** What is open in the ledgers. */
  const open = async (): Promise<readonly string[]> => {
    const objects = await Promise.all(TREE.map((kind) => bed.find(kind, "shop")));
    return objects.flatMap((object) => {
      if (object === undefined) return [];
      const intent = object.metadata.annotations?.[INTENT] ?? member(object.status, "intent");
      return intent === undefined ? [] : [`${object.kind} ${JSON.stringify(intent)}`];
    });
  };

  const ends = async (stopped: Promise<Exit>, at: string): Promise<void> => {
    expect([at, await stopped, await open()]).toEqual([at, { code: 0, signal: null }, []]);
  };

  it("at a call of a life: ends cleanly, what is under way is awaited and recorded", async ({ task }) => {
    await bed.apply(...defaults(bed), ...tree(bed, "shop"));
    for (const { act, at } of POINTS) {
      const arm = (): Promise<Exit> => stopAt(({ what }) => what === at);
      if (act === undefined) {
        const stopped = arm();
        await bed.start();
        await ends(stopped, at);
      } else {
        await bed.start();
        await bed.waitFor("PlatformApplication", "shop", { status: "True" }, 60_000);
        const stopped = arm();
        await act(bed);
        await ends(stopped, at);
      }
    }
    await bed.start();
    await bed.waitFor("PlatformApplication", "shop", { status: "True" }, 60_000);
    const deploys = Array.from({ length: 3 }, () => "deployApplication");
    expect(effects(bed)).toEqual(["createProject", "createEnvironment", "createApplication", ...deploys]);
    expect(longest).toBeLessThan(10_000);
    figure(task, `${Math.ceil(longest)} ms at most, 0 intents open`, POINTS.length);
  });

  it.runIf(effort.all)("at every call from the start on", { timeout: 1_200_000 }, async ({ task }) => {
    const commits = [NEXT_COMMIT, COMMIT];
    let k = 0;
    for (; ; k += 1) {
      await bed.kill();
      const before = effects(bed).length;
      await bed.patch("PlatformApplication", "shop", deploying(commits[k % 2] ?? COMMIT));
      const from = bed.calls.length;
      const stopped = stopAt((call) => call.k === from + k + 1);
      await bed.start();
      const settled = bed.waitFor("PlatformApplication", "shop", { status: "True" }, 60_000).then(() => undefined);
      const exit = await Promise.race([stopped, settled]);
      if (exit === undefined) break;
      await ends(Promise.resolve(exit), `call ${k}`);
      expect(effects(bed).length - before).toBeLessThanOrEqual(1);
      settled.catch(() => undefined);
    }
    expect(longest).toBeLessThan(10_000);
    figure(task, `${Math.ceil(longest)} ms at most, 0 intents open`, k);
  });
});
