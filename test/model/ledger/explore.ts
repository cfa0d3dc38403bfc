/** Explores all reachable worlds breadth-first, and checks from each one that it ends well without further faults. */
import { EXTERNAL_ID } from "../../../src/api/names.ts";
import { conditionOf } from "../../../src/engine/contract/status.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { KubeObject } from "../../../src/kube/api/types.ts";
import { LONG } from "./exchange.ts";
import { landed, movesOf } from "./moves.ts";
import { createNames } from "./process.ts";
import { busy, idle, isBehind, reborn, Violation, watch, type Move, type Setting } from "./steps.ts";
import { aged, isIntentOpen, type World } from "./world.ts";

export interface Explored {
  readonly states: number;
  /** The length of the longest path, in moves; all paths up to this length were explored. */
  readonly depth: number;
  readonly complete: boolean;
  /** The shortest path to a forbidden world, as text; undefined when there is none. */
  readonly counterexample: string | undefined;
}

interface Visit {
  readonly world: World;
  readonly from: Visit | undefined;
  readonly label: string;
}

/** @param depth the largest number of moves of a path */
export async function explore(setting: Setting, first: World, depth: number): Promise<Explored> {
  const keyOf = keys();
  const well = new Set<string>();
  const seen = new Set([keyOf(first)]);
  const isNew = ({ next }: Move): boolean => {
    const before = seen.size;
    return seen.add(keyOf(next)).size > before;
  };
  let frontier: readonly Visit[] = [{ world: first, from: undefined, label: "a user creates the object" }];
  let gone = 0;
  for (; gone < depth && frontier.length > 0; gone += 1) {
    const next: Visit[] = [];
    for (const visit of frontier) {
      const found = await step(setting, visit, { well, keyOf });
      if (found.is === "broken")
        return { states: seen.size, depth: gone, complete: false, counterexample: found.counterexample };
      next.push(...found.moves.filter(isNew).map(({ label, next: world }) => ({ world, from: visit, label })));
    }
    frontier = next;
  }
  return { states: seen.size, depth: gone, complete: frontier.length === 0, counterexample: undefined };
}

/** @returns the world after everything has come to rest, with a number of further faults allowed */
export async function rested(setting: Setting, world: World, faults: number): Promise<World> {
  let now = calmed(world);
  for (;;) {
    const next = await onward(setting, now);
    if (next.is === "hang") throw new TypeError(next.why);
    if (next.is === "rest") return { ...now, faults };
    now = next.move.next;
  }
}

/**
 * Takes random paths, each until nothing can happen or up to a number of moves.
 * @param random in [0, 1)
 */
export async function wander(
  setting: Setting,
  first: World,
  { ways, length, random }: { readonly ways: number; readonly length: number; readonly random: () => number },
): Promise<{ readonly moves: number; readonly counterexample: string | undefined }> {
  const ends: Ends = { well: new Set(), keyOf: keys() };
  let moves = 0;
  for (let way = 0; way < ways; way += 1) {
    let visit: Visit | undefined = { world: first, from: undefined, label: "it begins" };
    for (let gone = 0; gone < length && visit !== undefined; gone += 1) {
      const found = await step(setting, visit, ends);
      if (found.is === "broken") return { moves, counterexample: found.counterexample };
      const move = found.moves[Math.floor(random() * found.moves.length)];
      visit = move && { world: move.next, from: visit, label: move.label };
      moves += 1;
    }
  }
  return { moves, counterexample: undefined };
}

/**
 * Takes one path, by the labels of its moves.
 * @returns the world at its end @throws TypeError when there is no such move
 */
export async function follow(setting: Setting, first: World, way: readonly RegExp[]): Promise<World> {
  let world = first;
  for (const label of way) {
    const moves = await movesOf(setting, world);
    const chosen = moves.find((move) => label.test(move.label));
    if (chosen === undefined) {
      throw new TypeError(`no ${label.source} among\n${moves.map((move) => move.label).join("\n")}`);
    }
    world = chosen.next;
  }
  return world;
}

type Found =
  | { readonly is: "sound"; readonly moves: readonly Move[] }
  | { readonly is: "broken"; readonly counterexample: string };

interface Ends {
  readonly well: Set<string>;
  readonly keyOf: (world: World) => string;
}

async function step(setting: Setting, visit: Visit, ends: Ends): Promise<Found> {
  try {
    check(setting, visit.world);
    const ending = await endsWell(setting, visit.world, ends);
    if (ending !== undefined) return { is: "broken", counterexample: tell(visit, ending) };
    return { is: "sound", moves: await movesOf(setting, visit.world) };
  } catch (error) {
    if (error instanceof Violation) return { is: "broken", counterexample: tell(visit, [error.message]) };
    throw error;
  }
}

/** Checks what must be true in every world. @throws Violation */
function check({ repeatableOnce }: Setting, { object, creates, effects, remotes, deploys, late, forged }: World): void {
  const isKept = object !== null && object.metadata.deletionTimestamp === undefined;
  if (isKept && remotes.length < creates) throw new Violation("something was deleted that nobody asked to delete");
  const twice = Object.entries(effects).find(([, count]) => count > 1);
  if (twice !== undefined) throw new Violation(`the intent ${twice[0]} had ${twice[1]} effects`);
  if (late) return;
  if (remotes.length > 1) throw new Violation(`${remotes.length} objects exist on the platform`);
  const again = Object.entries(deploys).find(([, count]) => count > (repeatableOnce ? 2 : 1));
  if (again !== undefined && !forged) throw new Violation(`${again[0]} was deployed ${again[1]} times`);
}

/** More moves than are needed to come to rest. */
const PATIENCE = 200;

/** @returns the moves of a world that does not end well without further faults; undefined when it does */
async function endsWell(setting: Setting, world: World, { well, keyOf }: Ends): Promise<readonly string[] | undefined> {
  const labels: string[] = [];
  const passed: string[] = [];
  let now = calmed(world);
  for (let moves = 0; moves < PATIENCE; moves += 1) {
    const key = keyOf(now);
    if (well.has(key)) break;
    passed.push(key);
    check(setting, now);
    const next = await onward(setting, now);
    if (next.is === "rest") {
      const wrong = judged(setting, now);
      if (wrong !== undefined) return [...labels, wrong];
      break;
    }
    if (next.is === "hang") return [...labels, `it hangs: ${next.why}`];
    if (moves === PATIENCE - 1) return [...labels, "it never comes to rest"];
    labels.push(next.move.label);
    now = next.move.next;
  }
  for (const key of passed) well.add(key);
  return undefined;
}

/** Ends the faults: requests in flight land, one process leads, and its pending reconciles happen. */
function calmed(world: World): World {
  const still = world.flights.reduce(landed, world);
  const led = still.processes.every(({ cut }) => cut)
    ? reborn({ ...still, processes: still.processes.slice(-1) }, 0)
    : still;
  const processes = led.processes.filter(({ cut }) => !cut);
  const calm = { ...led, faults: 0, processes: processes.length === 0 ? reborn(led, 0).processes : processes };
  return { ...calm, processes: calm.processes.map((one) => (one.again === null ? one : { ...one, again: 0 })) };
}

type Onward =
  | { readonly is: "rest" }
  | { readonly is: "hang"; readonly why: string }
  | { readonly is: "move"; readonly move: Move };

/** Returns the next move without faults. */
async function onward(setting: Setting, world: World): Promise<Onward> {
  const [process] = world.processes;
  if (process === undefined) throw new TypeError("nobody leads");
  if (process.node !== null) return first(await busy(setting, world, 0));
  if (isBehind(world, process)) return { is: "move", move: eager(watch(world, 0)) };
  if (world.object === null) return { is: "rest" };
  const { again } = process;
  if (again === 0) return first(await idle(setting, world, 0));
  // A process with a reconcile soon is not at rest.
  if (isAtRest(world.object) && (again === null || again > LONG)) return { is: "rest" };
  if (again === null) return { is: "hang", why: "it is not settled, and nothing will look at it again" };
  let later = world;
  for (let tick = 0; tick < again; tick += 1) later = aged(later);
  return { is: "move", move: eager({ label: `${again} ticks pass`, next: later }) };
}

function first([move]: readonly Move[]): Onward {
  return move === undefined ? { is: "hang", why: "nothing can happen" } : { is: "move", move };
}

function eager({ label, next }: Move): Move {
  return { label, next: { ...next, processes: next.processes.map((process) => ({ ...process, again: 0 })) } };
}

/** Reports whether nothing is left to do, or only a person can do it. */
function isAtRest(object: KubeObject): boolean {
  if (object.metadata.deletionTimestamp !== undefined) return false;
  if (member(object.status, "observedGeneration") !== object.metadata.generation) return false;
  return conditionOf(object, "Ready")?.status === "True" || conditionOf(object, "Stalled")?.status === "True";
}

/** @returns the violation in a world at rest */
function judged(setting: Setting, world: World): string | undefined {
  const { object, remotes, warned, late } = world;
  if (object === null) {
    // A request that lands after its window is not traced any more.
    return remotes.length === 0 || warned || late
      ? undefined
      : "the object is gone, and what it made is left without a word";
  }
  const stalled = conditionOf(object, "Stalled");
  if (stalled?.status === "True") return judgedStalled(setting, world, object, stalled.reason);
  return isIntentOpen(object) ? "it is Ready with an open intent" : judgedReady(world, object);
}

function judgedStalled(
  { surface, repeatableOnce }: Setting,
  { late, forged, remotes }: World,
  { metadata, status }: KubeObject,
  reason: string,
): string | undefined {
  const expected: Readonly<Record<string, boolean>> = { DuplicateRemote: late, NotObservable: repeatableOnce };
  if (expected[reason] === true) return undefined;
  if (reason !== "CreateResultUnknown") return `it stalls: ${reason}`;
  const recorded = member(status, "externalId") ?? metadata.annotations?.[EXTERNAL_ID];
  if (recorded !== undefined) return "it stalls on a create whose id is recorded";
  const isFound = surface === "Full" && !forged && !late && remotes.length === 1;
  return isFound ? "it stalls on a create whose id a read finds" : undefined;
}

function judgedReady({ remotes, late }: World, { spec, status }: KubeObject): string | undefined {
  const recorded = member(status, "externalId");
  if (late && remotes.some(({ id }) => id === recorded)) return undefined;
  const [remote] = remotes;
  if (remote === undefined) return "it is Ready, but the platform has nothing";
  if (remote.id !== recorded) return `it is Ready without a record of ${remote.id}`;
  const commit = member(spec, "commit");
  return commit === undefined || remote.commit === commit
    ? undefined
    : `it is Ready, but ${remote.commit ?? "nothing"} runs`;
}

/** @returns a function that returns the key of a world: worlds with the same key behave the same */
function keys(): (world: World) => string {
  const names = createNames();
  return ({ object, before, processes, births: _births, ...rest }) => {
    const each = processes.map(
      ({ cached, memory, held, name: _name, ...process }) =>
        `${names.of(cached)} ${names.of(memory)} ${names.of(held)} ${JSON.stringify(process)}`,
    );
    // The earlier status is irrelevant when no further fault can restore it.
    return [names.of(object), rest.faults === 0 ? "" : names.of(before), JSON.stringify(rest), ...each].join("|");
  };
}

/** Returns the path to a world, and the violation there, as text. */
function tell(visit: Visit, ending: readonly string[]): string {
  const way: string[] = [];
  for (let at: Visit | undefined = visit; at !== undefined; at = at.from) way.unshift(at.label);
  const lines = [...way.map((line) => `  ${line}`), ...ending.slice(0, -1).map((line) => `  … ${line}`)];
  return [...lines, `  ✗ ${ending.at(-1) ?? ""}`].join("\n");
}
