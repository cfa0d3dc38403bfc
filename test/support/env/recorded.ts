/** Restores the data of an earlier version: its objects, its orphan ledger, and its platform. */
import { SEAL } from "../../../src/api/names.ts";
import { recordedIdIn, recordedIdentityIn } from "../../../src/engine/contract/status.ts";
import { dataKey } from "../../../src/engine/orphans/known.ts";
import { isSigned, readOrphan, signed, writeOrphan } from "../../../src/engine/orphans/orphan.ts";
import { sign, verify } from "../../../src/engine/ownership/signature.ts";
import { isObject } from "../../../src/kube/api/json.ts";
import type { KubeObject } from "../../../src/kube/api/types.ts";
import type { Env } from "./env.ts";

/** The recorded data in a fixture. */
export interface Records {
  /** Values of the recorded environment, which are replaced by those of this one. */
  readonly from: {
    readonly commit: string;
    readonly namespace: string;
    readonly namespaceUid: string;
    readonly installation: string;
    readonly url: string;
    readonly organizationId: string;
    readonly clusterIds: readonly string[];
  };
  /** The operation and its effect on the platform, e.g. "createProject none" → the name of its tree. */
  readonly open: Readonly<Record<string, string>>;
  readonly objects: readonly KubeObject[];
  readonly orphans: readonly { readonly metadata: { readonly name: string }; readonly data: Record<string, string> }[];
  readonly platform: Readonly<Record<string, readonly { readonly id: string }[]>>;
}

/** The platform of the recording; records are signed with its token. */
export const RECORDED_PLATFORM = {
  organizationId: "6f1d2c3b-4a59-4687-9b7a-8c9d0e1f2a3b",
  adminToken: "admin-of-the-recording",
};

/**
 * Restores the records; the operator must not be running.
 * @returns the restored objects, with their recorded status
 * @throws Error when a signature of the earlier version is not valid today
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
