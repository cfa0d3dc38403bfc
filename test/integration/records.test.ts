/**
 * Today's operator continues from what the bundle of commit 4aba459 wrote (fixtures/records): objects that are settled,
 * creates and deployments whose outcome was open when it was killed, and the orphan ledger. Persisted keys may not change.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import { BACKUP_SIGNATURE, INTENT } from "../../src/api/names.ts";
import { isObject, member, parseJson } from "../../src/kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { createEnv } from "../support/env/env.ts";
import { place, RECORDED_PLATFORM, type Records } from "../support/env/recorded.ts";
import type { Recording } from "../support/env/recording.ts";
import { expectSettled, idOf } from "../support/env/settling.ts";
import { idsDone } from "../support/kube/lost-writes.ts";
import { resource, secret } from "../support/kube/manifests.ts";

/** Depend on the version of a Secret or on the time; the rest of a status is compared as it is. */
const VARIES = /^(sources|lastTransitionTime)$/;

describe.each(["documented", "full"] as const)("records of an earlier version, %s surface", (surface) => {
  const env = createEnv({ surface, platform: RECORDED_PLATFORM, args: ["--leader-elect=false"] });
  let records: Records;
  let settled: readonly KubeObject[];
  let record: Recording;

  const of = (operation: string): readonly string[] =>
    ["none", "applied"].map((effect) => records.open[`${operation} ${effect}`] ?? "");
  const lost = (operation: string): string => records.open[`${operation} none`] ?? "";
  // Whether an application was created cannot be found out where none are listed.
  const unknown = (): readonly string[] => (surface === "full" ? [] : of("createApplication"));

  beforeAll(async () => {
    records = JSON.parse(await readFile(join(import.meta.dirname, `fixtures/records/${surface}.json`), "utf8"));
    await env.kill();
    await env.apply(
      secret("default", { token: env.platform.tokens.admin }),
      secret("values", { password: "not-a-password" }),
    );
    const placed = await place(env, records);
    settled = placed.filter(({ metadata }) => !metadata.name.startsWith("open-"));
    record = await env.record();
    await env.start();
    for (const name of Object.values(records.open)) {
      if (unknown().includes(name)) await env.waitFor("PlatformApplication", name, { reason: "CreateResultUnknown" });
      else await expectSettled(env, name);
    }
    await env.settled();
  });

  it("holds open intents of both sorts", () => {
    const open = records.objects.filter(
      ({ metadata, status }) => metadata.annotations?.[INTENT] ?? member(status, "intent"),
    );
    expect(open.map(({ metadata }) => metadata.name).toSorted()).toEqual(Object.values(records.open).toSorted());
  });

  it("writes intents with the members that they had", async () => {
    const earlier = membersByOperation(
      records.objects.flatMap(({ metadata, status }) => intentsIn({ metadata, status })),
    );
    const bodies = (await record.requests()).map(({ requestObject }) => requestObject);
    const today = membersByOperation(bodies.flatMap(intentsIn));
    for (const [operation, members] of today) {
      const before = earlier.get(operation) ?? [];
      expect(
        members.filter((name) => !before.includes(name)),
        String(operation),
      ).toEqual([]);
      // Left out where nothing else was listed.
      const dropped = before.filter((name) => !members.includes(name) && name !== "mark.ids");
      expect(dropped, String(operation)).toEqual([]);
    }
    expect([...today.keys()]).toEqual(
      expect.arrayContaining(["createProject", "createEnvironment", "deployApplication"]),
    );
  });

  it("does what was not done, and nothing twice", () => {
    const all = Object.values(records.open);
    const created = (operation: string): readonly string[] =>
      all.filter((name) => idsDone(env, record, operation, name).length > 0).toSorted();
    const early = [...of("createProject"), ...of("createEnvironment")];
    expect(created("createProject")).toEqual([lost("createProject")]);
    expect(created("createEnvironment")).toEqual([...of("createProject"), lost("createEnvironment")].toSorted());
    const applications = surface === "full" ? [lost("createApplication")] : [];
    expect(created("createApplication")).toEqual([...early, ...applications].toSorted());
    const deployed = surface === "full" ? of("createApplication") : [];
    expect(created("deployApplication")).toEqual([...early, ...deployed, lost("deployApplication")].toSorted());
  });

  it.each(["projects", "environments", "services"] as const)("leaves one of each name among the %s", (area) => {
    const names = [...env.platform.world()[area].values()].map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it("sends nothing about what is settled, and keeps its status", async () => {
    const ids = settled.map(idOf).filter((id) => id !== "");
    expect(ids).toHaveLength(6);
    expect(record.changeCalls().filter(({ path }) => ids.some((id) => path.includes(id)))).toEqual([]);
    for (const before of settled) {
      const { kind, metadata } = before;
      const now = await env.get(kind, metadata.name);
      // The signature for backups is new since.
      const { [BACKUP_SIGNATURE]: _, ...annotations } = now.metadata.annotations ?? {};
      expect(annotations, `${kind} ${metadata.name}`).toEqual(metadata.annotations ?? {});
      expect(plain(now.status), `${kind} ${metadata.name}`).toEqual(plain(before.status));
    }
  });

  it("finds what the orphan ledger holds, without a create", async () => {
    const before = await env.record();
    const clusterRef = { externalId: records.from.clusterIds[0] ?? "" };
    const [preview, webhook] = ["PlatformEnvironment", "PlatformWebhook"].map((kind) => orphanOf(records, kind));
    await env.apply(
      resource("PlatformEnvironment", "preview", { name: "preview", projectRef: { name: "shop" }, clusterRef }),
      resource("PlatformWebhook", "gone", {
        targetUrl: "https://hooks.example.com/gone",
        events: ["DEPLOYMENT_STARTED"],
      }),
    );
    expect(idOf(await env.waitFor("PlatformEnvironment", "preview", { status: "True" }))).toBe(preview);
    expect(idOf(await env.waitFor("PlatformWebhook", "gone", { status: "True" }))).toBe(webhook);
    expect(before.changes()).toEqual([]);
  });
});

/** The intents in an object or in a patch of one. */
function intentsIn(body: unknown): readonly JsonObject[] {
  const annotation = member(member(member(body, "metadata"), "annotations"), INTENT);
  const intents = [
    typeof annotation === "string" ? parseJson(annotation) : null,
    member(member(body, "status"), "intent"),
  ];
  // A patch of an intent that is there already has what differs alone.
  return intents.filter(isObject).filter((intent) => intent["v"] !== undefined);
}

/** The members of the intents of each operation, and of their marks. */
function membersByOperation(intents: readonly JsonObject[]): ReadonlyMap<unknown, readonly string[]> {
  return new Map(
    intents.map((intent) => {
      const { op, mark } = intent;
      const members = [...Object.keys(intent), ...Object.keys(isObject(mark) ? mark : {}).map((key) => `mark.${key}`)];
      return [op, members.toSorted()];
    }),
  );
}

function plain(status: unknown): unknown {
  return JSON.parse(JSON.stringify(status), (key, value: unknown) => (VARIES.test(key) ? "" : value));
}

function orphanOf({ orphans }: Records, kind: string): string | undefined {
  const keys = orphans.flatMap(({ data }) => Object.keys(data));
  return keys.find((key) => key.includes(`.${kind}.`))?.split(".")[0];
}
