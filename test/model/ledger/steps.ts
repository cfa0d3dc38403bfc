/** The next steps of a process of the operator in the model's world, and possible faults. */
import { inspect } from "node:util";

import type { Json, JsonObject, KubeObject } from "../../../src/kube/api/types.ts";
import { isTimeToWrite } from "../../../src/kube/leader/leader.ts";
import { LONG, NOTHING, TICK, nonceOf, type Command, type Memory, type Reply, type Stand } from "./exchange.ts";
import { nonces, unused, unusedVersion } from "./marks.ts";
import type { Processes } from "./process.ts";
import { born, effected, IDLE, isIntentOpen, patched, read, type Flight, type Process, type World } from "./world.ts";

export interface Move {
  readonly label: string;
  readonly next: World;
}

/** A rule that was broken by a move, independent of the resulting world. */
export class Violation extends Error {}

/** The settings of an exploration. */
export interface Setting {
  readonly processes: Processes;
  /** The surface: on the full one a list shows the effect of a request whose answer was lost. */
  readonly surface: "Documented" | "Full";
  /** Returns the spec after a user's edit; undefined for no edits. */
  readonly edit: ((spec: KubeObject["spec"]) => KubeObject["spec"]) | undefined;
  /** Requests may land after their window, and a process may be frozen between its last check and its request. */
  readonly beyond: boolean;
  /** Changes a patch before the API server applies it, so that a test can drop a part. */
  readonly taken: (body: JsonObject) => JsonObject;
  /** The one exception from "once": a deployment that may be repeated, and whose outcome is not observable. */
  readonly repeatableOnce: boolean;
}

type Parked = Extract<Stand, { is: "parked" }>;
type Sending = Extract<Command, { to: "platform" }>;

/** Returns the moves of a process, and the faults that can affect it. */
export async function stepsOf(setting: Setting, world: World, index: number): Promise<readonly Move[]> {
  const process = at(world, index);
  const moves = process.node === null ? await idle(setting, world, index) : await busy(setting, world, index);
  if (world.faults === 0) return moves;
  const crash = move(`${process.name} crashes`, struck(reborn(world, index)));
  return [...moves, crash];
}

/** The moves between two reconciles. */
export async function idle(setting: Setting, world: World, index: number): Promise<readonly Move[]> {
  const process = at(world, index);
  const moves: Move[] = [];
  if (process.cached !== null) moves.push(await beginReconcile(setting, world, index));
  if (isBehind(world, process)) moves.push(watch(world, index));
  return moves;
}

/** Reports whether the cache of a process is stale. */
export function isBehind({ object }: World, { cached }: Process): boolean {
  return cached?.metadata.resourceVersion !== object?.metadata.resourceVersion;
}

/** The watch delivers the stored object. */
export function watch(world: World, index: number): Move {
  const process = at(world, index);
  const isSame = world.object !== null && world.object.metadata.uid === process.cached?.metadata.uid;
  const memory = isSame ? process.memory : NOTHING;
  return move(`${process.name} sees the object`, put(world, index, { ...process, cached: world.object, memory }));
}

async function beginReconcile(setting: Setting, world: World, index: number): Promise<Move> {
  const process = at(world, index);
  if (process.cached === null) throw new TypeError("a reconcile needs an object");
  const used = nonces(setting.processes, world);
  const start = { object: process.cached, memory: process.memory, leads: leads(process), nonce: unused(used) };
  const node = await setting.processes.begin(start);
  // An attempt that is no longer stored anywhere has no further effect, and its name may be reused.
  const effects = Object.fromEntries(Object.entries(world.effects).filter(([attempt]) => used.has(nonceOf(attempt))));
  const begun = put({ ...world, effects }, index, { ...process, node, since: 0, held: null });
  return move(`${process.name} begins a reconcile`, arrived(setting, begun, index));
}

/** Returns the world after an answer: the reconcile waits for the next one, or has ended. */
function arrived(setting: Setting, world: World, index: number): World {
  const process = at(world, index);
  const stand = setting.processes.stand(process.node ?? -1);
  if (stand.internal !== undefined) throw new Violation(`the engine failed: ${inspect(stand.internal)}`);
  const noted = { ...world, warned: world.warned || stand.warned };
  if (stand.is === "parked") return noted;
  const { object, again } = stand;
  const left = { cached: object ?? null, memory: forgetful(noted, stand), again: again === null ? null : ticks(again) };
  return put(noted, index, { ...process, ...IDLE, ...left });
}

/** Drops when a closed intent was seen, if no fault can open it again. */
function forgetful({ faults, flights }: World, { object, memory }: Extract<Stand, { is: "ended" }>): Memory {
  const closed = object === undefined || !isIntentOpen(object);
  return faults === 0 && closed && flights.length === 0 ? { ...memory, intent: undefined } : memory;
}

/** Returns a delay in ticks. Long delays are equal: all windows are over then. */
function ticks(ms: number): number {
  return Math.min(Math.ceil(ms / TICK), 2 * LONG);
}

/** The moves within a reconcile: its command takes effect and is answered, or a fault occurs. */
export async function busy(setting: Setting, world: World, index: number): Promise<readonly Move[]> {
  const process = at(world, index);
  if (process.held !== null) {
    // The frozen process continues with the answer that it received.
    const next = await deliver(setting, put(world, index, { ...process, held: null }), index, process.held);
    return [move(`${process.name} goes on with ${answer(process.held)}`, next)];
  }
  const stand = setting.processes.stand(process.node ?? -1);
  if (stand.is !== "parked") throw new TypeError("a reconcile that ended goes on");
  const { command } = stand;
  const done = perform(setting, world, process, stand);
  const what = `${process.name}: ${said(command)}`;
  const moves = [move(`${what} → ${answer(done.reply)}`, await deliver(setting, done.world, index, done.reply))];
  if (world.faults === 0) return moves;
  const frozen = put(struck(done.world), index, { ...process, held: done.reply });
  moves.push(move(`${what}, freezes before the answer`, frozen));
  return [...moves, ...(await failures(setting, world, index, stand, done.world))];
}

/** Executes a command, and returns the answer. */
function perform(setting: Setting, world: World, process: Process, stand: Parked): { world: World; reply: Reply } {
  const { command } = stand;
  switch (command.to) {
    case "clock":
      return { world, reply: { is: "value", value: null } };
    case "kube":
      if (command.method === "PATCH") {
        const body = setting.taken(command.body);
        return patched(world, { ...command, body }, unusedVersion(setting.processes, world));
      }
      return { world, reply: current(world) };
    case "platform":
      if (command.op === "list" || command.op === "get") return { world, reply: read(world, command.op, command.id) };
      return effected(world, flightOf(command, process, stand));
    default:
      return command satisfies never;
  }
}

function current({ object }: World): Reply {
  if (object === null) return { is: "kube", failure: "NotFound", status: 404 };
  return { is: "value", value: object as unknown as Json };
}

/** Ways in which an exchange can fail. */
async function failures(
  setting: Setting,
  world: World,
  index: number,
  stand: Parked,
  done: World,
): Promise<readonly Move[]> {
  const process = at(world, index);
  const { command } = stand;
  const fails = async (how: string, next: World, reply: Reply): Promise<Move> =>
    move(`${process.name}: ${said(command)}, ${how}`, await deliver(setting, struck(next), index, reply));
  if (command.to === "clock" || (command.to === "kube" && command.method === "GET")) return [];
  if (command.to === "kube") {
    const failed: Reply = { is: "kube", failure: "Unreachable", status: 0 };
    return [await fails("stored but not answered", done, failed), await fails("not stored", world, failed)];
  }
  if (!isOnce(command)) return [];
  const flight = flightOf(command, process, stand);
  const flying = { ...world, flights: [...world.flights, flight] };
  const crashed = struck(reborn(flying, index));
  return [
    await fails("executed but not answered", done, unknown),
    await fails("lost or slow, not answered", flying, unknown),
    await fails("refused", world, { is: "platform", failure: { is: "Unreachable" }, status: 0 }),
    move(`${process.name}: ${said(command)}, crashes while it is under way`, crashed),
  ];
}

const unknown: Reply = { is: "platform", failure: { is: "OutcomeUnknown" }, status: 0 };

/** Returns the request to the platform, whose intent this reconcile must have written. */
function flightOf(command: Sending, process: Process, { intent }: Parked): Flight {
  const { op, id, made } = command;
  if (!isOnce(command)) return { op, id, made, attempt: "", age: 0 };
  if (intent === undefined || intent.intent.op !== op) {
    throw new Violation(`${process.name} sends "${op}", which it did not announce in this reconcile`);
  }
  return { op, id, made, attempt: intent.intent.attempt, age: process.since - intent.since };
}

export const isOnce = ({ op }: Sending): boolean => op === "create" || op === "deploy";

async function deliver(setting: Setting, world: World, index: number, reply: Reply): Promise<World> {
  const process = at(world, index);
  const answer = { reply, at: process.since, leads: leads(process) };
  const node = await setting.processes.answer(process.node ?? -1, answer);
  return arrived(setting, put(world, index, { ...process, node }), index);
}

/** The process is killed and restarted. A process that had lost the lease is not restarted. */
export function reborn(world: World, index: number): World {
  const processes = at(world, index).cut && world.processes.length > 1 ? [] : [born(world.births, world.object)];
  return { ...world, births: world.births + 1, processes: world.processes.toSpliced(index, 1, ...processes) };
}

/** Reports whether a process may still begin a write, by its view of the lease. */
function leads({ renewed }: Process): boolean {
  return isTimeToWrite(renewed * TICK);
}

function at(world: World, index: number): Process {
  const process = world.processes[index];
  if (process === undefined) throw new TypeError(`no process ${index}`);
  return process;
}

export function put(world: World, index: number, process: Process): World {
  return { ...world, processes: world.processes.with(index, process) };
}

export function struck(world: World): World {
  return { ...world, faults: world.faults - 1 };
}

export function move(label: string, next: World): Move {
  return { label, next };
}

function said(command: Command): string {
  if (command.to === "clock") return "waits a moment";
  if (command.to === "platform") return `${command.op} ${command.made.commit ?? command.id.slice(-2)}`.trim();
  if (command.method === "GET") return "reads the object";
  return `writes ${command.status ? "the status" : "the object"} ${JSON.stringify(command.body)}`;
}

function answer(reply: Reply): string {
  return reply.is === "value" ? "done" : reply.is === "kube" ? reply.failure : reply.failure.is;
}
