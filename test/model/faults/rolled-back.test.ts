import { describe, expect, it } from "vitest";

import { WRITE_LEDGER } from "../../../src/api/status.ts";
import { membersOf, statusOf } from "../../../src/engine/contract/status.ts";
import { isObject, member } from "../../../src/kube/api/json.ts";
import type { Json, JsonObject } from "../../../src/kube/api/types.ts";
import { effort } from "../../support/env/effort.ts";
import { MINUTE } from "../../support/platform/durations.ts";
import { figure } from "../../support/platform/figure.ts";
import type { OperatorEnv } from "../../support/platform/operator-env.ts";
import { idsOf, living, SURFACES, unready } from "./restores.ts";

const NEWER = { shape: "of a newer version", list: [1, { two: null }], flag: true };

const ODD: readonly Json[] = effort.all ? ["NewerValue", NEWER] : [NEWER];

/** Members that this version does not know beside those that it does, in every object of a status. */
function withMore(value: Json): Json {
  if (Array.isArray(value)) return value.map(withMore);
  if (!isObject(value)) return value;
  const known = Object.entries(value).map(([name, one]) => [name, withMore(one ?? null)] as const);
  return { ...Object.fromEntries(known), newerMember: NEWER };
}

/** Returns the status with another value of a member that it, or its write ledger, has. */
function withMember(status: Json | undefined, name: string, value: Json): JsonObject {
  const shown = statusOf({ status });
  const ledger = statusOf({ status: member(shown, WRITE_LEDGER) });
  if (name in ledger) return { ...shown, [WRITE_LEDGER]: { ...ledger, [name]: value } };
  return name in shown ? { ...shown, [name]: value } : shown;
}

/** The next process is of an older version: this one. It has a quarter of an hour. */
async function rollBack(env: OperatorEnv, edit: (status: JsonObject) => JsonObject): Promise<void> {
  env.kill();
  for (const { kind, metadata, status } of env.cluster.all()) {
    if (isObject(status)) env.cluster.status(kind, metadata.name, edit(status));
  }
  await env.restart();
  await env.run(15 * MINUTE);
}

describe.each(SURFACES)("[R1] an older version that starts over the records of a newer one, %s surface,", (surface) => {
  it("writes nothing and continues with unknown members in specs, statuses and annotations", async ({ task }) => {
    const env = await living(surface);
    const [from, ids] = [env.baseline(), idsOf(env)];
    for (const { kind, metadata, spec } of env.cluster.all()) {
      env.cluster.restore({ ...env.get(kind, metadata.name), spec: { ...(spec as object), newerMember: NEWER } });
      env.cluster.annotate(kind, metadata.name, { "platform-operator.io/newer": JSON.stringify(NEWER) });
    }
    await rollBack(env, (status) => withMore(status) as JsonObject);
    expect(unready(env)).toEqual([]);
    expect(idsOf(env)).toEqual(ids);
    expect(env.writes(from)).toEqual([]);
    // And forward again, over what this version has left of the statuses.
    await rollBack(env, (status) => ({ ...status, newerMember: NEWER }));
    expect(unready(env)).toEqual([]);
    expect(env.writes(from)).toEqual([]);
    expect(env.internal).toEqual([]);
    figure(task, "0 writes over what a newer version wrote", env.cluster.all().length);
  });

  it("creates and deploys nothing with an unknown value or type in any member of a status", async ({ task }) => {
    const env = await living(surface);
    const ids = idsOf(env);
    const before = env.cluster.all();
    const spoken = new Set(["observedGeneration", "conditions", "identity", "externalId", "intent"]);
    const members = before.flatMap((object) => Object.keys(membersOf(object)));
    const memories = [...new Set(members)].filter((name) => !spoken.has(name));
    const from = env.baseline();
    for (const name of memories) {
      for (const odd of ODD) {
        env.kill();
        for (const { kind, metadata, status } of before) {
          env.cluster.status(kind, metadata.name, withMember(status, name, odd));
        }
        await env.restart();
        await env.run(3 * MINUTE);
        const made = env.writes(from).filter((write) => /^(create|deploy|delete|stop|download)/.test(write));
        expect(made, `${name} is ${JSON.stringify(odd)}`).toEqual([]);
      }
    }
    expect(idsOf(env)).toEqual(ids);
    expect(env.internal).toEqual([]);
    figure(task, "0 actions over values of a newer version", ODD.length * memories.length);
  });
});
