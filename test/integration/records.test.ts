/**
 * Today's operator continues from what the bundle of commit 4aba459 wrote (fixtures/records): objects that are settled,
 * creates and deployments whose outcome was open when it was killed, and the orphan ledger. Persisted keys may not change.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import { BACKUP_SIGNATURE, INTENT, SEAL } from "../../src/api/names.ts";
import { recordedIdIn, recordedIdentityIn } from "../../src/engine/contract/status.ts";
import { dataKey } from "../../src/engine/orphans/known.ts";
import { isSigned, readOrphan, signed, writeOrphan } from "../../src/engine/orphans/orphan.ts";
import { sign, verify } from "../../src/engine/ownership/signature.ts";
import { isObject, member, parseJson } from "../../src/kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import type { Recording } from "../support/env/recording.ts";
import { expectSettled, idOf } from "../support/env/settling.ts";
import { resource, secret } from "../support/kube/manifests.ts";
import { idsDone } from "./lost-writes.ts";

/** The recorded data in a fixture. */
interface Records {
  /** Values of the recorded environment, which are replaced by those of this one. */
  readonly from: Readonly<Record<"namespace" | "namespaceUid" | "installation" | "url", string>> & {
    readonly clusterIds: readonly string[];
  };
  /** The operation and its effect on the platform, e.g. "createProject none" → the name of its tree. */
  readonly open: Readonly<Record<string, string>>;
  readonly objects: readonly KubeObject[];
  readonly orphans: readonly { readonly metadata: { readonly name: string }; readonly data: Record<string, string> }[];
  readonly platform: Readonly<Record<string, readonly { readonly id: string }[]>>;
}

/** The platform of the recording; records are signed with its token. */
const RECORDED_PLATFORM = {
  organizationId: "6f1d2c3b-4a59-4687-9b7a-8c9d0e1f2a3b",
  adminToken: "admin-of-the-recording",
};

/**
 * Restores the records; the operator must not be running.
 * @returns the restored objects, with their recorded status
 * @throws Error when a signature of the earlier version is not valid today
 */
async function place(env: Env, records: Records): Promise<readonly KubeObject[]> {
  const { from } = records;
  const uidOf = async (name: string): Promise<string> =>
    await env.kubectl(["get", "namespace", name, "-o", "jsonpath={.metadata.uid}"]);
  const moves: [string, string][] = [
    [from.namespace, env.namespace],
    [from.namespaceUid, await uidOf(env.namespace)],
    [from.installation, await uidOf("kube-system")],
    [new URL(from.url).host, new URL(env.platform.url).host],
  ];
  const moved = <T>(value: T): T =>
    // oxlint-disable-next-line typescript/no-unsafe-return -- the same but for some texts
    JSON.parse(moves.reduce((text, [old, now]) => text.replaceAll(old, now), JSON.stringify(value)));

  const areas = new Map<string, unknown>(Object.entries(env.platform.world()));
  for (const [area, things] of Object.entries(moved(records.platform))) {
    const map = areas.get(area);
    if (!(map instanceof Map)) throw new Error(`the simulated platform has no ${area}`);
    for (const thing of things) map.set(thing.id, { ...thing, bornAt: 0 });
  }

  for (const { apiVersion, kind, metadata, spec } of moved(records.objects)) {
    const { name, finalizers } = metadata;
    await env.apply({ apiVersion, kind, metadata: { name, ...(finalizers && { finalizers }) }, spec });
    moves.push([metadata.uid, (await env.get(kind, name)).metadata.uid]);
  }
  const placed: KubeObject[] = [];
  for (const [index, object] of moved(records.objects).entries()) {
    const { kind, metadata, status } = object;
    const annotations = { ...metadata.annotations };
    const seal = records.objects[index];
    if (annotations[SEAL] !== undefined && seal !== undefined) annotations[SEAL] = sealOf(seal, object);
    await env.annotate(kind, metadata.name, annotations);
    if (status !== undefined) await env.patch(kind, metadata.name, { status }, "status");
    placed.push(await env.get(kind, metadata.name));
  }

  for (const { metadata, data } of records.orphans) {
    const entries = Object.entries(data).map(([key, text]) => movedOrphan(key, text, moved));
    const place = moved({ ...metadata, namespace: env.operatorNamespace });
    await env.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: place, data: Object.fromEntries(entries) });
  }
  return placed;
}

/** Reads the record of an object as today's operator does, and signs it for the object's new uid. */
function sealOf(before: KubeObject, now: KubeObject): string {
  const { adminToken } = RECORDED_PLATFORM;
  const place = (object: KubeObject) => ({
    uid: object.metadata.uid,
    id: recordedIdIn(object) ?? "",
    parentId: recordedIdentityIn(object, "parentId"),
  });
  const found = verify(adminToken, place(before), before.metadata.annotations?.[SEAL]);
  if (found === undefined)
    throw new Error(`the record of ${before.kind} ${before.metadata.name} is not valid any more`);
  return sign(adminToken, place(now), isObject(found.kept) ? found.kept : undefined);
}

function movedOrphan(key: string, text: string, moved: <T>(value: T) => T): readonly [string, string] {
  const orphan = readOrphan(text);
  if (orphan === undefined || dataKey(orphan) !== key || !isSigned(orphan, RECORDED_PLATFORM.adminToken)) {
    throw new Error(`the entry ${key} of the orphan ledger is not valid any more`);
  }
  const { signature: _, ...rest } = moved(orphan);
  const entry = signed(rest, RECORDED_PLATFORM.adminToken);
  return [dataKey(entry), writeOrphan(entry)];
}

/** Leaves out what depends on the version of a Secret or on the time; the rest of a status is compared as it is. */
const plain = (status: unknown): unknown =>
  JSON.parse(JSON.stringify(status), (key, value: unknown) =>
    /^(sources|lastTransitionTime)$/.test(key) ? "" : value,
  );

describe.each(["full", "documented"] as const)("records of an earlier version, %s surface", (surface) => {
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

  it("writes intents with the members that they had", async () => {
    const earlier = membersByOperation(records.objects.flatMap(intentsIn));
    const bodies = (await record.requests()).map(({ requestObject }) => requestObject);
    const today = membersByOperation(bodies.flatMap(intentsIn));
    for (const [operation, members] of today) {
      const before = earlier.get(operation) ?? [];
      // Left out where nothing else was listed.
      const isSame = (name: string) => name !== "mark.ids" || members.includes(name);
      expect(members, String(operation)).toEqual(before.filter(isSame));
    }
    const operations = ["createProject", "createEnvironment", "deployApplication"];
    expect([...today.keys()]).toEqual(expect.arrayContaining(operations));
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
  const ofCreate = typeof annotation === "string" ? parseJson(annotation) : null;
  const intents = [ofCreate, member(member(body, "status"), "intent")];
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

function orphanOf({ orphans }: Records, kind: string): string | undefined {
  const keys = orphans.flatMap(({ data }) => Object.keys(data));
  return keys.find((key) => key.includes(`.${kind}.`))?.split(".")[0];
}
