/** What has to hold of a run, whatever happened in it (reliability-bar §2.2). Each returns sentences about violations. */
import { Buffer } from "node:buffer";

import { member } from "../../../src/kube/json.ts";
import type { Json } from "../../../src/kube/types.ts";
import type { CallEntry, Effect } from "../../../src/simulator/journal.ts";
import type { Bed } from "../bed.ts";

/** @returns what calls did to the platform, in order. */
function effectsOf(bed: Bed): readonly Done[] {
  return bed.platform
    .journal()
    .filter((entry): entry is CallEntry => entry.is === "call")
    .flatMap(({ operation, effects, body, at }) =>
      effects.map((effect) => ({
        operation: operation ?? "",
        effect,
        name: textOf(member(asJson(body), "name")),
        at: Date.parse(at),
      })),
    );
}

interface Done {
  readonly operation: string;
  readonly effect: Effect;
  readonly name: string;
  readonly at: number;
}

/** O1: each object was created once, however often it was asked for. */
export function duplicates(bed: Bed): readonly string[] {
  const counts = new Map<string, number>();
  for (const { operation, effect, name } of effectsOf(bed)) {
    if ("created" in effect) counts.set(`${operation} ${name}`, (counts.get(`${operation} ${name}`) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > 1).map(([what, count]) => `O1 ${what}: created ${count} times`);
}

/** What the platform holds, by name, to compare before and after. */
export function holdings(bed: Bed): readonly string[] {
  const { projects, environments, services, webhooks, blueprints, variables } = bed.platform.world();
  return [
    ...[...projects.values()].map(({ name }) => `project ${name}`),
    ...[...environments.values()].map(({ name }) => `environment ${name}`),
    ...[...services.values()].map(({ name }) => `service ${name}`),
    ...[...webhooks.values()].map(({ targetUrl }) => `webhook ${targetUrl}`),
    ...[...blueprints.values()].map(({ name }) => `blueprint ${name}`),
    ...[...variables.values()].filter(({ scope }) => scope !== "BUILT_IN").map(({ key }) => `variable ${key}`),
  ].toSorted();
}

/** O2: after the last deletion the platform holds what it held at first; where it deletes nothing, all of it once. */
export function leaks(bed: Bed, before: readonly string[], surface: "full" | "documented"): readonly string[] {
  const after = holdings(bed);
  const left = after.filter((one) => !before.includes(one));
  if (surface === "full") return left.map((one) => `O2 left behind: ${one}`);
  const twice = left.filter((one, index) => !one.startsWith("variable") && left.indexOf(one) !== index);
  return twice.map((one) => `O2 twice on the platform: ${one}`);
}

/** Within how many milliseconds before a deployment was decided on a variable may have been written without it being known of. */
const UNSEEN_MS = 500;

/**
 * O3: nothing was deployed or stopped without a cause. A deployment has one when the commit is another one, when a
 * variable was written since the last one was decided on, or when an operation asks for it, once.
 */
export function doubleActions(bed: Bed, operations: number): readonly string[] {
  // Who was asked may have said that it shall be done again.
  const again = bed.unknowns.length;
  return [...repeatedStops(bed).slice(again), ...causelessDeployments(bed, operations + again)];
}

function repeatedStops(bed: Bed): readonly string[] {
  const stops = effectsOf(bed).flatMap(({ effect }) => ("stopped" in effect ? effect.stopped : []));
  return stops.filter((id, index) => stops.indexOf(id) !== index).map((id) => `O3 ${id} was stopped again`);
}

function causelessDeployments(bed: Bed, operations: number): readonly string[] {
  const found: string[] = [];
  const deployed = new Map<string, { readonly commit: string | null; readonly decidedAt: number }>();
  let written = 0;
  let asked = operations;
  for (const { operation, effect, at } of effectsOf(bed)) {
    if (WRITES_VARIABLES.test(operation)) written = at;
    if (!("deployed" in effect)) continue;
    const last = deployed.get(effect.deployed);
    const isCaused = last === undefined || last.commit !== effect.commit || written > last.decidedAt - UNSEEN_MS;
    if (!isCaused && operation === "deployApplication" && asked > 0) asked -= 1;
    else if (!isCaused) found.push(`O3 ${operation} of ${effect.commit ?? "it"} again without a cause`);
    deployed.set(effect.deployed, { commit: effect.commit, decidedAt: decidedAt(bed, at) });
  }
  return found;
}

/** Its intent is written first; on a busy machine the request follows seconds later. */
function decidedAt(bed: Bed, at: number): number {
  return bed.calls.findLast((call) => call.at <= at && INTENT.test(call.what))?.at ?? at;
}

const INTENT = /^kube PATCH platform(applications|operations)\/\S+\/status$/;

const WRITES_VARIABLES = /^(import|update|delete|create)\w*(Variable|Secret)$/;

/** What one object looked like each time the operator had written to it. */
export interface Sample {
  readonly name: string;
  readonly generation: number;
  readonly status: Json | undefined;
}

/** O5: what a status says is neither older nor newer than what was read, and times change only with what they time. */
export function dishonesty(samples: readonly Sample[]): readonly string[] {
  const found: string[] = [];
  const last = new Map<string, { readonly observed: number; readonly conditions: ReadonlyMap<string, Stamp> }>();
  for (const { name, generation, status } of samples) {
    const observed = numberOf(member(status, "observedGeneration"));
    const conditions = stampsOf(status);
    const before = last.get(name);
    if (observed > generation) found.push(`O5 ${name}: observedGeneration ${observed} of generation ${generation}`);
    if (before !== undefined && observed < before.observed) {
      found.push(`O5 ${name}: observedGeneration went from ${before.observed} to ${observed}`);
    }
    for (const [type, { is, at }] of conditions) {
      const old = before?.conditions.get(type);
      if (old?.is === is && old.at !== at) found.push(`O5 ${name}: ${type} stayed ${is} and got another time`);
    }
    last.set(name, { observed, conditions });
  }
  return found;
}

interface Stamp {
  readonly is: string;
  readonly at: string;
}

function stampsOf(status: Json | undefined): ReadonlyMap<string, Stamp> {
  const conditions = member(status, "conditions");
  const list = Array.isArray(conditions) ? conditions : [];
  return new Map(
    list.map((one: Json) => [
      textOf(member(one, "type")),
      { is: textOf(member(one, "status")), at: textOf(member(one, "lastTransitionTime")) },
    ]),
  );
}

/** O6: the process ended only where it was killed, and met nothing that it has no table for. */
export function upsets(bed: Bed): readonly string[] {
  return bed
    .logs()
    .filter(({ message, level }) => level === "error" && /unexpected|unhandled|could not be followed/i.test(message))
    .map(({ message }) => `O6 the log says: ${message}`);
}

/** O7: none of the secrets is in the log or in what the operator wrote to Kubernetes, in any common spelling. */
export function exposures(bed: Bed, secrets: readonly string[]): readonly string[] {
  const written = bed.calls.filter(({ side }) => side === "kube").map(({ url, body }) => `${url} ${body.toString()}`);
  const logged = bed.logs().map((line) => JSON.stringify(line));
  const spellings = secrets.flatMap((one) => [
    one,
    Buffer.from(one).toString("base64").replaceAll("=", ""),
    encodeURIComponent(one),
  ]);
  const shown = spellings.some((one) => [...written, ...logged].some((text) => text.includes(one)));
  return shown ? ["O7 a secret was written or logged"] : [];
}

/** @returns a text, "" for what is none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function asJson(value: unknown): Json | undefined {
  return value as Json | undefined;
}
