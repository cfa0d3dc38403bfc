/** The possible next moves in the model's world: a step of a process, a fault, an action of the user, passing time. */
import { LANDING_TICKS } from "./exchange.ts";
import { unusedVersion } from "./marks.ts";
import { isOnce, move, put, stepsOf, struck, type Move, type Setting } from "./steps.ts";
import { aged, born, edited, effected, reapplied, type Flight, type World } from "./world.ts";

/** The ticks after which another process may take a lease that is not renewed (15 s). */
const LEASE_TICKS = 3;

/** Returns all possible next moves. */
export async function movesOf(setting: Setting, world: World): Promise<readonly Move[]> {
  const steps = await Promise.all(world.processes.map((_, index) => stepsOf(setting, world, index)));
  return [...steps.flat(), ...landings(world), ...deeds(setting, world), ...changes(world), ...time(setting, world)];
}

/** A request in flight lands, or is lost. */
function landings(world: World): readonly Move[] {
  return world.flights.flatMap((flight) => {
    const what = `the request "${flight.op}" of ${flight.attempt}`;
    const lost = { ...world, flights: world.flights.filter((one) => one !== flight) };
    return [move(`${what} lands`, landed(world, flight)), move(`${what} is lost`, lost)];
  });
}

/** @returns the world once a request has landed, perhaps after its window */
export function landed(world: World, flight: Flight): World {
  const flights = world.flights.filter((one) => one !== flight);
  const late = world.late || flight.age >= LANDING_TICKS;
  return { ...effected(world, flight).world, flights, late };
}

/** Actions of a user. */
function deeds({ edit, processes }: Setting, world: World): readonly Move[] {
  const { object } = world;
  if (world.faults === 0 || object === null) return [];
  const { spec, metadata } = object;
  const next = struck(world);
  const forged = { ...next, forged: true };
  const version = unusedVersion(processes, world);
  const changed = edit?.(spec);
  const isChanged = changed !== undefined && JSON.stringify(changed) !== JSON.stringify(spec);
  const isGoing = metadata.deletionTimestamp !== undefined;
  return [
    ...(isChanged ? [move("the user edits the spec", edited(next, version, { spec: changed }))] : []),
    ...(isGoing ? [] : [move("the user deletes it", edited(next, version, { deleted: true }))]),
    ...(isGoing ? [] : [move("its manifest of now replaces it", reapplied(forged, version))]),
    move("the status is lost", edited(forged, version, { status: { observedGeneration: -1 } })),
    move("an older status is put back", edited(forged, version, { status: world.before })),
  ];
}

/** Changes of the leader. */
function changes(world: World): readonly Move[] {
  const [first, second] = world.processes;
  if (first === undefined) return [];
  if (second === undefined) {
    if (first.cut) return first.renewed < LEASE_TICKS ? [] : [move("another process leads", joined(world))];
    if (world.faults === 0) return [];
    return [move(`${first.name} is cut off from the lease`, struck(put(world, 0, { ...first, cut: true })))];
  }
  return [move(`${first.name} ends, as it lost the lease`, { ...world, processes: [second] })];
}

function joined(world: World): World {
  const processes = [...world.processes, born(world.births, world.object)];
  return { ...world, processes, births: world.births + 1 };
}

/** Time passes if that makes a difference, unless that would violate an assumption of the design. */
function time({ processes, beyond }: Setting, world: World): readonly Move[] {
  const commands = world.processes.map(({ node, held }) => {
    const stand = node === null || held !== null ? undefined : processes.stand(node);
    return stand?.is === "parked" ? stand.command : undefined;
  });
  const sending = commands.some((command) => command?.to === "platform" && isOnce(command));
  const landing = world.flights.some(({ age }) => age + 1 >= LANDING_TICKS);
  if (!beyond && (sending || landing)) return [];
  const writing = commands.some((command) => command?.to === "kube");
  const watching = world.processes.some(({ memory, held, cut }) => memory.intent !== undefined || held !== null || cut);
  return writing || watching || world.flights.length > 0 ? [move("time passes", aged(world))] : [];
}
