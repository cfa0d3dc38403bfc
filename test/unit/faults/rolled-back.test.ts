import { describe, expect, it } from "vitest";

import { INTENT } from "../../../src/api/names.ts";
import { isObject } from "../../../src/kube/api/json.ts";
import type { Json, JsonObject } from "../../../src/kube/api/types.ts";
import { effort } from "../../support/env/effort.ts";
import { NEXT_COMMIT } from "../../support/kube/manifests.ts";
import { editStatuses, idsOf, living, unready } from "../../support/kube/restores.ts";
import { figure } from "../../support/platform/figure.ts";
import type { OperatorBench } from "../../support/platform/operator-env.ts";

const MINUTE = 60_000;
const NEWER = { shape: "of a newer version", list: [1, { two: null }], flag: true };

/** A value of an enumeration, and a shape. */
const ODD: readonly Json[] = effort.all ? ["NewerValue", NEWER] : [NEWER];

/** Members that this version does not know beside those that it does, in every object of a status. */
function withMore(value: Json): Json {
  if (Array.isArray(value)) return value.map(withMore);
  if (!isObject(value)) return value;
  const known = Object.entries(value).map(([name, one]) => [name, withMore(one ?? null)] as const);
  return { ...Object.fromEntries(known), newerMember: NEWER };
}

/** The next process is of an older version: this one. */
async function rollBack(bench: OperatorBench, edit: (status: JsonObject) => JsonObject): Promise<void> {
  bench.kill();
  editStatuses(bench, (status) => edit(status));
  await bench.restart();
}

describe.each(["full", "documented"] as const)(
  "[R1] rolled back to an older version, %s surface",
  { timeout: 60_000 },
  (surface) => {
    it("members that it does not know, in specs, statuses and annotations: nothing is written, and it goes on", async ({
      task,
    }) => {
      const bench = await living(surface);
      const [from, ids] = [bench.mark(), idsOf(bench)];
      for (const { kind, metadata, spec } of bench.cluster.all()) {
        bench.cluster.restore({ ...bench.get(kind, metadata.name), spec: { ...(spec as object), newerMember: NEWER } });
        bench.cluster.annotate(kind, metadata.name, { "platform-operator.io/newer": JSON.stringify(NEWER) });
      }
      await rollBack(bench, (status) => withMore(status) as JsonObject);
      await bench.run(15 * MINUTE);
      expect(unready(bench)).toEqual([]);
      expect(idsOf(bench)).toEqual(ids);
      expect(bench.writes(from)).toEqual([]);
      // And forward again, over what this version has left of the statuses.
      await rollBack(bench, (status) => ({ ...status, newerMember: NEWER }));
      await bench.run(15 * MINUTE);
      expect(unready(bench)).toEqual([]);
      expect(bench.writes(from)).toEqual([]);
      expect(bench.internal).toEqual([]);
      figure(task, "0 writes over what a newer version wrote", bench.cluster.all().length);
    });

    it("each member of its memory with a value or of a type that it does not know: nothing is made or deployed", async ({
      task,
    }) => {
      const bench = await living(surface);
      const ids = idsOf(bench);
      const statuses = new Map(
        bench.cluster.all().map(({ kind, metadata, status }) => [`${kind} ${metadata.name}`, status]),
      );
      const spoken = new Set(["observedGeneration", "conditions", "identity", "externalId", "intent"]);
      const members = [...statuses.values()].flatMap((status) => (isObject(status) ? Object.keys(status) : []));
      const memories = [...new Set(members)].filter((name) => !spoken.has(name));
      const from = bench.mark();
      for (const name of memories) {
        for (const odd of ODD) {
          bench.kill();
          for (const { kind, metadata } of bench.cluster.all()) {
            const status = statuses.get(`${kind} ${metadata.name}`);
            const changed = isObject(status) && status[name] !== undefined ? { ...status, [name]: odd } : status;
            bench.cluster.status(kind, metadata.name, changed);
          }
          await bench.restart();
          await bench.run(3 * MINUTE);
          const made = bench.writes(from).filter((write) => /^(create|deploy|delete|stop|download)/.test(write));
          expect(made, `${name} is ${JSON.stringify(odd)}`).toEqual([]);
        }
      }
      expect(idsOf(bench)).toEqual(ids);
      expect(bench.internal).toEqual([]);
      figure(task, "0 actions over values of a newer version", ODD.length * memories.length);
    });

    it("intents of a version that it does not know: ForeignLedger, kept as they are; forward again it goes on", async ({
      task,
    }) => {
      const bench = await living(surface);
      const from = bench.mark();
      const [creating, acting] = ["PlatformProject", "PlatformApplication"];
      const intent = { v: 2, what: "of a newer version" };
      bench.kill();
      bench.cluster.annotate(creating, "shop", { [INTENT]: JSON.stringify(intent) });
      bench.cluster.status(acting, "api", { ...(bench.get(acting, "api").status as object), intent });
      const spec = bench.get(acting, "api").spec as object;
      bench.cluster.spec(acting, "api", { ...spec, deploy: { gitCommitId: NEXT_COMMIT } });
      await bench.restart();
      await bench.run(15 * MINUTE);
      expect(unready(bench)).toEqual([
        "PlatformApplication api: False/ForeignLedger",
        "PlatformProject shop: False/ForeignLedger",
      ]);
      expect(bench.writes(from)).toEqual([]);
      expect(bench.get(creating, "shop").metadata.annotations?.[INTENT]).toBe(JSON.stringify(intent));
      expect(bench.get(acting, "api").status).toMatchObject({ intent });
      // The newer version finds out what became of them, and closes them.
      bench.kill();
      bench.cluster.annotate(creating, "shop", { [INTENT]: null });
      editStatuses(bench, (status) => Object.fromEntries(Object.entries(status).filter(([name]) => name !== "intent")));
      await bench.restart();
      await bench.run(15 * MINUTE);
      expect(unready(bench)).toEqual([]);
      expect(bench.writes(from)).toEqual(["deployApplication"]);
      figure(task, "0 writes over intents of a newer version", 2);
    });
  },
);
