import { describe, expect, it } from "vitest";

import { manualClock, settle } from "../../../test/support/kube/clock.ts";
import { afterFailures, scriptedClient } from "../../../test/support/kube/scripted-client.ts";
import { THING, thing } from "../../../test/support/kube/things.ts";
import { KubeError } from "../api/errors.ts";
import type { KubeRequest } from "../api/transport.ts";
import type { Json, KubeObject } from "../api/types.ts";
import { createStore } from "../watch/store.ts";
import { createWriter } from "./writer.ts";

const PATH = "/apis/test.platform-operator.io/v1/namespaces/default/things/a";
const QUERY = { fieldManager: "platform-operator", fieldValidation: "Strict" };
const conflict = new KubeError("Conflict", 409, "modified");
const notFound = new KubeError("NotFound", 404, "gone");

function writing(answer: (request: KubeRequest) => Json | Promise<Json>) {
  const clock = manualClock();
  const client = scriptedClient(answer);
  const store = createStore((error) => expect.unreachable(String(error)));
  const writer = createWriter({ client, store, types: [THING], clock, random: () => 0 });
  const held = () => store.get({ kind: "Thing", namespace: "default", name: "a" });
  return { clock, client, store, writer, held };
}

const withStatus = (status: Json, version = "5"): KubeObject => ({ ...thing("a", version), status });
const methods = (calls: readonly KubeRequest[]) => calls.map(({ method }) => method);

describe("patchStatus", () => {
  it("sends a merge patch of what differs, checked against the version, with the operator's field manager", async () => {
    const { client, writer } = writing(() => thing("a", "6"));
    await writer.patchStatus(withStatus({ a: 1, b: 2, list: [1] }), { a: 1, c: 3, list: [1, 2] });
    const body = { metadata: { resourceVersion: "5" }, status: { b: null, c: 3, list: [1, 2] } };
    expect(client.calls).toEqual([{ method: "PATCH", path: `${PATH}/status`, query: QUERY, body }]);
  });

  it("sends nothing if nothing differs", async () => {
    const { client, writer } = writing(() => null);
    const object = withStatus({ a: 1, b: { c: [2] } });
    expect(await writer.patchStatus(object, { b: { c: [2] }, a: 1 })).toBe(object);
    expect(client.calls).toEqual([]);
  });

  it("has the answer of the API server in the store before it resolves", async () => {
    const { held, store, writer } = writing(() => ({ ...thing("a", "6"), status: { a: 2 } }));
    store.upsert(withStatus({ a: 1 }));
    await writer.patchStatus(withStatus({ a: 1 }), { a: 2 });
    expect(held()).toMatchObject({ metadata: { resourceVersion: "6" }, status: { a: 2 } });
  });

  it("[B10] fails with Conflict after one attempt, and the store then has the version of the API server", async () => {
    const { client, held, store, writer } = writing(({ method }) =>
      method === "PATCH" ? Promise.reject(conflict) : thing("a", "7"),
    );
    store.upsert(withStatus({}));
    await expect(writer.patchStatus(withStatus({}), { a: 1 })).rejects.toBe(conflict);
    expect(methods(client.calls)).toEqual(["PATCH", "GET"]);
    expect(held()?.metadata.resourceVersion).toBe("7");
  });

  it("fails with NotFound, and the store then has no object", async () => {
    const { held, store, writer } = writing(() => Promise.reject(notFound));
    store.upsert(withStatus({}));
    await expect(writer.patchStatus(withStatus({}), { a: 1 })).rejects.toBe(notFound);
    expect(held()).toBeUndefined();
  });

  it("[E5] refuses a status that is too large before it is sent", async () => {
    const { client, writer } = writing(() => null);
    await expect(writer.patchStatus(withStatus({}), { a: "x".repeat(600_000) })).rejects.toThrow("exceeds 512 KiB");
    expect(client.calls).toEqual([]);
  });

  it("refuses an answer that is not an object, and an object of an unknown kind", async () => {
    const { writer } = writing(() => ({ kind: "Thing" }));
    await expect(writer.patchStatus(withStatus({}), { a: 1 })).rejects.toMatchObject({ failure: "BadResponse" });
    await expect(writer.patchStatus({ ...withStatus({}), kind: "Other" }, { a: 1 })).rejects.toThrow("does not know");
  });
});

describe("patchChecked", () => {
  it("sends annotations that differ and the whole list of finalizers, with uid and version", async () => {
    const { client, writer } = writing(() => thing("a", "6"));
    const object = thing("a", "5", { meta: { annotations: { same: "1", old: "2" }, finalizers: ["x/theirs"] } });
    const finalizers = ["x/theirs", "y/ours"];
    await writer.patchChecked(object, { annotations: { same: "1", old: null, new: "3", absent: null }, finalizers });
    const annotations = { old: null, new: "3" };
    const metadata = { uid: "uid-a", resourceVersion: "5", annotations, finalizers };
    expect(client.calls).toMatchObject([{ path: PATH, body: { metadata } }]);
  });

  it("sends nothing if nothing differs", async () => {
    const { client, writer } = writing(() => null);
    const object = thing("a", "5", { meta: { annotations: { a: "1" }, finalizers: ["x/y"] } });
    await writer.patchChecked(object, { annotations: { a: "1", b: null }, finalizers: ["x/y"] });
    await writer.patchChecked(object, {});
    expect(client.calls).toEqual([]);
  });

  it("removes the object from the store with its last finalizer", async () => {
    const deleting = { meta: { deletionTimestamp: "2026-11-21T10:00:00Z", finalizers: ["x/y"] } };
    const { held, store, writer } = writing(() => thing("a", "6", { meta: { ...deleting.meta, finalizers: [] } }));
    store.upsert(thing("a", "5", deleting));
    await writer.patchChecked(thing("a", "5", deleting), { finalizers: [] });
    expect(held()).toBeUndefined();
  });
});

describe("storeOutcome", () => {
  const { signal } = new AbortController();

  it("sends the uid and no version", async () => {
    const { client, writer } = writing(() => thing("a", "6"));
    await writer.storeOutcome(thing("a", "5"), { id: "1", intent: null }, signal);
    const body = { metadata: { uid: "uid-a", annotations: { id: "1", intent: null } } };
    expect(client.calls).toMatchObject([{ path: PATH, query: QUERY, body }]);
    expect(client.calls[0]?.body).not.toHaveProperty("metadata.resourceVersion");
  });

  it("[B11] tries again until the outcome is stored, and waits for Retry-After", async () => {
    const failures = [
      new KubeError("Unreachable", 0, "ECONNREFUSED"),
      new KubeError("TooManyRequests", 429, "busy", 5_000),
      new KubeError("Forbidden", 403, "no"),
    ];
    const { client, clock, writer } = writing(afterFailures(failures, thing("a", "6")));
    const stored = writer.storeOutcome(thing("a", "5"), { id: "1" }, signal);
    await clock.advance(500);
    expect(client.calls).toHaveLength(2);
    await clock.advance(4_999);
    expect(client.calls).toHaveLength(2);
    await clock.advance(10_000);
    expect((await stored)?.metadata.resourceVersion).toBe("6");
  });

  it.each<[string, () => Json | Promise<Json>]>([
    ["the object is gone", () => Promise.reject(notFound)],
    ["a namesake has its place", () => thing("a", "9", { uid: "other" })],
  ])("returns undefined if %s", async (_, live) => {
    const { writer } = writing(({ method }) => {
      if (method === "PATCH") throw new KubeError("Invalid", 422, "metadata.uid");
      return live();
    });
    expect(await writer.storeOutcome(thing("a", "5"), { id: "1" }, signal)).toBeUndefined();
  });

  it("tries again if the refusal had another reason", async () => {
    let tries = 0;
    const { clock, writer } = writing(({ method }) => {
      if (method === "PATCH" && (tries += 1) === 1) throw new KubeError("Invalid", 422, "spec.x");
      return thing("a", "6");
    });
    const stored = writer.storeOutcome(thing("a", "5"), { id: "1" }, signal);
    await clock.advance(500);
    expect(await stored).toBeDefined();
    expect(tries).toBe(2);
  });

  it.each([
    ["Invalid", 422],
    ["Forbidden", 403],
  ] as const)("gives up after four refusals (%s), so that other objects are served", async (failure, status) => {
    let tries = 0;
    const { clock, writer } = writing(({ method }) => {
      if (method === "GET") return thing("a", "6");
      tries += 1;
      throw new KubeError(failure, status, "metadata.annotations: Too long");
    });
    const stored = writer.storeOutcome(thing("a", "5"), { id: "1" }, signal);
    stored.catch(() => {});
    await clock.advance(20_000);
    await expect(stored).rejects.toMatchObject({ failure });
    expect(tries).toBe(4);
  });

  it("rejects when it is stopped", async () => {
    const stop = new AbortController();
    const { writer } = writing(() => Promise.reject(new KubeError("Server", 500, "down")));
    const stored = writer.storeOutcome(thing("a", "5"), { id: "1" }, stop.signal);
    await settle();
    stop.abort();
    await expect(stored).rejects.toMatchObject({ failure: "Server" });
  });
});

describe("[B1] confirm", () => {
  it("reads the object from the API server, at most once a second", async () => {
    const { client, writer } = writing(() => thing("a", "5"));
    const object = thing("a", "5");
    await writer.confirm(object);
    await writer.confirm(object);
    expect(client.calls).toEqual([{ method: "GET", path: PATH }]);
  });

  it("sends no request for a second after the API server answered a write with the object", async () => {
    const { client, clock, writer } = writing(() => thing("a", "6"));
    const written = await writer.patchChecked(thing("a", "5"), { annotations: { id: "1" } });
    await writer.confirm(written);
    await clock.advance(999);
    await writer.confirm(written);
    expect(methods(client.calls)).toEqual(["PATCH"]);
    await clock.advance(1);
    await writer.confirm(written);
    expect(methods(client.calls)).toEqual(["PATCH", "GET"]);
  });

  it.each<[string, string, () => KubeObject | Promise<never>, object | undefined]>([
    ["another version", "Conflict", () => thing("a", "6"), thing("a", "6").metadata],
    ["a namesake", "NotFound", () => thing("a", "6", { uid: "other" }), thing("a", "6", { uid: "other" }).metadata],
    ["what is gone", "NotFound", () => Promise.reject(notFound), undefined],
  ])("refuses %s, and the store then has what the API server has", async (_, failure, live, metadata) => {
    const { held, store, writer } = writing(live as () => Json | Promise<Json>);
    store.upsert(thing("a", "5"));
    await expect(writer.confirm(thing("a", "5"))).rejects.toMatchObject({ failure });
    expect(held()?.metadata).toEqual(metadata);
  });
});
