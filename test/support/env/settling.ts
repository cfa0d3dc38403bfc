import { setTimeout as sleep } from "node:timers/promises";

import { expect } from "vitest";
import { z } from "zod";

import { INTENT } from "../../../src/api/names.ts";
import { nonEmptyText, recordedIn } from "../../../src/engine/contract/status.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { KubeObject } from "../../../src/kube/api/types.ts";
import type { Env } from "./env.ts";

export const TREE = ["PlatformApplication", "PlatformEnvironment", "PlatformProject"] as const;

/** Waits until a tree is Ready; expects no open intents. @returns its objects, children first */
export async function expectSettled(env: Env, name: string): Promise<readonly KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const kind of TREE) {
    const object = await env.waitFor(kind, name, { status: "True" });
    expect(object.metadata.annotations?.[INTENT], "the intent of a create").toBeUndefined();
    expect(recordedIn(object, "intent"), "the intent of an action").toBeUndefined();
    objects.push(object);
  }
  return objects;
}

/** Waits until the operator has written nothing for a while: the first reads after Ready may still add a count. */
export async function calm(env: Env): Promise<void> {
  for (;;) {
    const record = await env.record();
    await sleep(1_500);
    if ((await record.writes()).objects.length === 0) return;
  }
}

export async function versions(env: Env, name: string): Promise<readonly string[]> {
  const objects = await Promise.all(TREE.map((kind) => env.get(kind, name)));
  return objects.map(({ kind, metadata }) => `${kind} ${metadata.resourceVersion}`);
}

/** The id on the platform that an object's status records; "" without one. */
export function idOf({ status }: KubeObject): string {
  return nonEmptyText(member(status, "externalId")) ?? "";
}

const Event = z.object({
  type: z.string(),
  reason: z.string(),
  note: z.string(),
  regarding: z.object({ kind: z.string(), name: z.string() }),
});

/** "Warning PlatformProject: …" for each event of that reason about objects of that name, in alphabetical order. */
export async function eventsOf(env: Env, name: string, reason: string): Promise<readonly string[]> {
  return (await env.list("Event"))
    .map((event) => Event.parse(event))
    .filter((event) => event.regarding.name === name && event.reason === reason)
    .map(({ type, note, regarding }) => `${type} ${regarding.kind}: ${note}`)
    .toSorted();
}
