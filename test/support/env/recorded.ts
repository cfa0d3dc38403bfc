/** Puts in place what an earlier version wrote: its objects, its orphan ledger, and the platform that it wrote to. */
import { SEAL } from "../../../src/api/names.ts";
import { recordedIdIn, recordedIdentityIn } from "../../../src/engine/contract/status.ts";
import { dataKey } from "../../../src/engine/orphans/known.ts";
import { isSigned, readOrphan, signed, writeOrphan } from "../../../src/engine/orphans/orphan.ts";
import { sign, verify } from "../../../src/engine/ownership/signature.ts";
import { isObject } from "../../../src/kube/api/json.ts";
import type { KubeObject } from "../../../src/kube/api/types.ts";
import type { Env } from "./env.ts";

/** What was recorded, as it is in a fixture. */
export interface Records {
  /** Where it was recorded: what these texts stand for has another value here. */
  readonly from: {
    readonly commit: string;
    readonly namespace: string;
    readonly namespaceUid: string;
    readonly installation: string;
    readonly url: string;
    readonly organizationId: string;
    readonly clusterIds: readonly string[];
  };
  /** "createProject none" and the like: the operation and what came of it on the platform → the name of its tree. */
  readonly open: Readonly<Record<string, string>>;
  readonly objects: readonly KubeObject[];
  readonly orphans: readonly { readonly metadata: { readonly name: string }; readonly data: Record<string, string> }[];
  readonly platform: Readonly<Record<string, readonly { readonly id: string }[]>>;
}

/** The platform on which it was recorded; records are signed with the token. */
export const RECORDED_PLATFORM = {
  organizationId: "6f1d2c3b-4a59-4687-9b7a-8c9d0e1f2a3b",
  adminToken: "admin-of-the-recording",
};

/**
 * Puts the records in place; the operator must not run.
 * @returns the objects as they are then, with the status that they had
 * @throws Error where a signature of the earlier version does not hold today
 */
export async function place(env: Env, records: Records): Promise<readonly KubeObject[]> {
  const { from } = records;
  const uidOf = async (name: string): Promise<string> =>
    await env.kubectl(["get", "namespace", name, "-o", "jsonpath={.metadata.uid}"]);
  const namespaceUid = await uidOf(env.namespace);
  const moves: [string, string][] = [
    [from.namespace, env.namespace],
    [from.namespaceUid, namespaceUid],
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
    const { name } = metadata;
    await env.apply({
      ...moved({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { ...metadata, name, namespace: env.operatorNamespace },
      }),
      data: Object.fromEntries(entries),
    });
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
