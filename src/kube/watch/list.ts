import { KubeError } from "../api/errors.ts";
import { member } from "../api/json.ts";
import { parseObject, versionOf } from "../api/objects.ts";
import { DEADLINES, type KubeClient } from "../api/transport.ts";
import type { Json, KubeObject, ResourceType } from "../api/types.ts";

/** The size of a page: 10,000 objects then block the event loop for 20 ms at most. */
const PAGE = 500;

/**
 * Lists a collection page by page, from etcd's quorum: `resourceVersion=0` could be answered from a stale cache and is
 * never sent.
 * @throws KubeError "Gone" when the continuation has expired, "BadResponse" when the answer is no list
 */
export async function listAll(client: KubeClient, type: ResourceType, path: string, signal?: AbortSignal) {
  const objects: KubeObject[] = [];
  /** The number of items that are no objects. */
  let malformed = 0;
  let token: string | undefined;
  for (;;) {
    const page = readPage(
      path,
      await client.request({
        method: "GET",
        path,
        query: { limit: PAGE, continue: token },
        timeoutMs: DEADLINES.list,
        signal,
      }),
    );
    for (const item of page.items) {
      const object = parseObject(type, item);
      if (object === undefined) malformed += 1;
      else objects.push(object);
    }
    if (page.next === "") return { objects, resourceVersion: page.resourceVersion, malformed };
    token = page.next;
  }
}

function readPage(path: string, answer: Json): { items: readonly Json[]; resourceVersion: string; next: string } {
  const items = member(answer, "items") ?? [];
  const resourceVersion = versionOf(answer);
  const next = member(member(answer, "metadata"), "continue") ?? "";
  if (!Array.isArray(items) || resourceVersion === undefined || typeof next !== "string") {
    throw new KubeError("BadResponse", 200, `GET ${path}: the answer is no list`);
  }
  return { items, resourceVersion, next };
}
