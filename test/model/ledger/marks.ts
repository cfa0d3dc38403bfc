/**
 * Values that only have to be unique: resourceVersions, and the attempts of intents. A new one is the first that is no
 * longer in use, so that worlds which differ only in their past are the same.
 */
import { INTENT } from "../../../src/api/names.ts";
import { readSlot } from "../../../src/engine/ledger/ledger.ts";
import { isObject, member } from "../../../src/kube/api/json.ts";
import type { Json, KubeObject } from "../../../src/kube/api/types.ts";
import { nonceOf } from "./exchange.ts";
import type { Processes } from "./process.ts";
import type { World } from "./world.ts";

/** @returns a resourceVersion that no copy of the object has. */
export function unusedVersion(processes: Processes, world: World): string {
  const used = new Set(objects(processes, world).map(({ metadata }) => Number(metadata.resourceVersion)));
  return String(unused(used));
}

/** @returns the nonces of all attempts that are stored somewhere or may still be sent */
export function nonces(processes: Processes, world: World): ReadonlySet<number> {
  const attempts = [
    ...objects(processes, world).flatMap(attemptsIn),
    ...attemptsIn({ status: world.before }),
    ...world.flights.map(({ attempt }) => attempt),
    ...world.processes.flatMap(({ memory: { unsent, intent, answered, unsaved } }) => [
      ...unsent,
      ...[intent?.attempt, answered?.attempt].flatMap((one) => one ?? []),
      ...attemptsIn({ status: unsaved?.over }),
    ]),
  ];
  const running = passes(processes, world).map(({ start }) => start.nonce);
  return new Set([...attempts.map(nonceOf), ...running]);
}

/** @returns the first number from one that is not used */
export function unused(used: ReadonlySet<number>): number {
  let first = 1;
  while (used.has(first)) first += 1;
  return first;
}

function passes(processes: Processes, world: World): readonly ReturnType<Processes["basis"]>[] {
  return world.processes.flatMap(({ node }) => (node === null ? [] : [processes.basis(node)]));
}

/** Returns every copy of the object in the world. */
function objects(processes: Processes, world: World): readonly KubeObject[] {
  const inPasses = passes(processes, world).flatMap(({ start, answers }) => [
    start.object,
    ...answers.flatMap(({ reply }) => (reply.is === "value" ? objectIn(reply.value) : [])),
  ]);
  const held = world.processes.flatMap((process) => (process.held?.is === "value" ? objectIn(process.held.value) : []));
  return [world.object, ...world.processes.map(({ cached }) => cached)]
    .flatMap((one) => one ?? [])
    .concat(inPasses, held);
}

function objectIn(value: Json): readonly KubeObject[] {
  return isObject(member(value, "metadata")) ? [value as unknown as KubeObject] : [];
}

function attemptsIn(object: Pick<KubeObject, "status"> & Partial<KubeObject>): readonly string[] {
  const slots = [object.metadata?.annotations?.[INTENT], member(object.status, "intent")].map(readSlot);
  return slots.flatMap((slot) => (slot.is === "open" ? [slot.intent.attempt] : []));
}
