import { expect, it, onTestFinished } from "vitest";

import { manualClock } from "../../test/support/kube/clock.ts";
import { scriptedClient } from "../../test/support/kube/scripted-client.ts";
import { THING, thing, thingList } from "../../test/support/kube/things.ts";
import { KubeError } from "../kube/api/errors.ts";
import type { Json } from "../kube/api/types.ts";
import { createCaches } from "./caches.ts";

const PART = { ...THING, kind: "Part", plural: "parts" };
const OF_CLUSTER = { ...THING, kind: "Whole", plural: "wholes", namespaced: false };
const forbidden = new KubeError("Forbidden", 403, "forbidden");
const late = new KubeError("Timeout", 0, "no answer");

/** Starts caches of two kinds in the namespaces "shop" and "gone". @param answers paths' ends → answer or error */
async function started(answers: Readonly<Record<string, Json | KubeError>>) {
  const now = new Map<string, Json | KubeError>(Object.entries(answers));
  const clock = manualClock();
  const client = scriptedClient(({ path }) => {
    const [, answer = thingList("10", [])] = [...now].find(([end]) => path.endsWith(end)) ?? [];
    if (answer instanceof KubeError) throw answer;
    return answer;
  });
  const reported: string[] = [];
  const caches = createCaches({
    client,
    clock,
    random: () => 0,
    types: [OF_CLUSTER, THING, PART],
    namespaces: ["shop", "gone"],
    perNamespace: { onServed: (namespace, isServed) => reported.push(`${namespace} ${isServed ? "" : "not "}served`) },
    observer: {},
    onListenerError: (error) => expect.unreachable(String(error)),
    onSynced: () => reported.push("synced"),
  });
  onTestFinished(() => caches.stop());
  caches.start();
  await clock.advance(10);
  return { caches, clock, now, reported };
}

it("a namespace whose list is forbidden does not delay the other namespaces", async () => {
  const { caches, reported } = await started({ "namespaces/gone/things": forbidden });
  expect(reported).toEqual(["gone not served", "synced"]);
  expect(caches.missing()).toEqual([]);
});

it("a namespace whose list fails in another way delays all namespaces, as the failure may be temporary", async () => {
  const { caches, reported } = await started({ "namespaces/gone/things": late });
  expect(reported).toEqual([]);
  expect(caches.missing()).toEqual(["Thing", "Part"]);
});

it("no namespace is served while each of them is forbidden", async () => {
  const { caches, reported } = await started({ "/things": forbidden });
  expect(reported).toEqual(["shop not served", "gone not served"]);
  expect(caches.missing()).toEqual(["Thing", "Part"]);
});

it("no object of a namespace is in the store before each of its kinds is listed", async () => {
  const held = thingList("10", [thing("a", "5")]);
  const { caches, clock, now, reported } = await started({ "gone/things": held, "gone/parts": forbidden });
  expect(reported).toEqual(["gone not served", "synced"]);
  expect(caches.store.list("Thing")).toEqual([]);
  now.delete("gone/parts");
  await clock.advance(30_000);
  expect(caches.store.list("Thing").map(({ metadata }) => metadata.name)).toEqual(["a"]);
  expect(reported.at(-1)).toBe("gone served");
});
