/**
 * Values that a CRD refuses and that are stored nevertheless, as an older version of it let them pass: each stalls its
 * own resource, and nothing of its kind (docs/reliability.md E16).
 */
import { describe, expect, it } from "vitest";

import type { Surface } from "../../../simulator/base/operations.ts";
import { FINALIZER } from "../../../src/api/names.ts";
import { isObject, member } from "../../../src/kube/api/json.ts";
import type { Json } from "../../../src/kube/api/types.ts";
import { SAMPLES } from "../../samples/index.ts";
import type { Manifest } from "../../support/env/cluster.ts";
import { effort } from "../../support/env/effort.ts";
import { everyKind } from "../../support/examples/every-kind.ts";
import { application, connection, resource, secret } from "../../support/kube/manifests.ts";
import { figure } from "../../support/platform/figure.ts";
import { operatorEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";
import { casesOf } from "../generated/cases.ts";
import { SOMEWHERE } from "../generated/fixture.ts";
import { CANARY, refusedJunk, unknownMembers, type Junk } from "../generated/junk.ts";
import { KINDS } from "../generated/kinds/index.ts";
import { CONFIGURATION, VALUES } from "../generated/kinds/references.ts";
import type { Fixture, KindCases } from "../generated/outcomes.ts";
import { readSchemas, type KindSchema } from "../generated/schema.ts";
import { chosen } from "../generated/trials.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** The poll interval with its spread. */
const POLL_MS = 11.5 * MINUTE;
/** The bar's own. */
const DEADLINE_MS = 5 * SECOND;
const STEP_MS = 250;
/** How much of the junk a short run takes of each kind, beside everything that the generator of changes gives. */
const FEW_JUNK = 40;
/** As many go in one moment; more would look like a hot loop. */
const BATCH = 20;

interface Row {
  readonly schema: KindSchema;
  readonly cases: KindCases;
  readonly surface: Surface;
  readonly kind: string;
}

const surfaces: readonly Surface[] = effort.all ? ["full", "documented"] : ["full"];
const rows: readonly Row[] = readSchemas().flatMap((schema) =>
  KINDS.filter(({ kind }) => kind === schema.kind).flatMap((cases) =>
    surfaces.map((surface) => ({ schema, cases, surface, kind: schema.kind })),
  ),
);

/** A value, and the name of the resource that has it. */
type Named = Junk & { readonly name: string };

interface World {
  readonly env: OperatorEnv;
  readonly kind: string;
  /** A good resource of the kind, which is not applied yet. */
  readonly good: Manifest;
  /** Those of all kinds, which are at rest. */
  readonly others: readonly Manifest[];
  readonly leaves: number;
  /** What has to end as InvalidSpec before anything is sent. */
  readonly bad: readonly Named[];
  /** What is read as though it were not there, or is the API server's alone to refuse. */
  readonly odd: readonly Named[];
}

async function world({ schema, cases, surface, kind }: Row): Promise<World> {
  const env = await operatorEnv({ surface });
  // What the platform works at is no part of the deadline.
  env.platform.sim.time.setSpeed(100);
  const all = goodOnes(env);
  const good = all.find((one) => one.kind === kind);
  if (good === undefined) throw new Error(`no good ${kind}`);
  const others = all.filter((one) => one !== good);
  const fixture = groundOn(env);
  env.apply(...others, ...standings(env, cases, fixture));
  await env.run(5 * MINUTE);
  const leaves = casesOf(schema, cases, fixture, "bad");
  const invalids = leaves.flatMap((leaf) => leaf.invalids);
  // What a list is keyed by is the API server's to judge.
  const isTwice = ({ title }: Junk): boolean => title.endsWith("twice");
  const junk = refusedJunk(leaves);
  const some = effort.all ? junk : chosen(junk, FEW_JUNK, effort.seed, ({ title }) => `${kind} ${title}`);
  const bad = named("bad", [...invalids.filter((one) => !isTwice(one)), ...some]);
  const odd = named("odd", [...invalids.filter(isTwice), ...unknownMembers(leaves)]);
  return { env, kind, good, others, leaves: leaves.length, bad, odd };
}

const named = (prefix: string, all: readonly Junk[]): readonly Named[] =>
  all.map((junk, index) => ({ ...junk, name: `${prefix}-${index}` }));

/** The first of each kind is the one that a test is about; the connection is that of all others. */
function goodOnes(env: OperatorEnv): readonly Manifest[] {
  const auth = { tokenSecretRef: { name: "default" } };
  const shared = connection(env, "shared", { auth, allowedNamespaces: { names: ["elsewhere"] } });
  const some = [application("web", "staging"), ...everyKind(env), { ...shared, kind: "ClusterPlatformConnection" }];
  const others = Object.entries(SAMPLES).filter(([named]) => !some.some(({ kind }) => kind === named));
  return [...some, ...others.map(([, sample]) => sample.good({ env, name: "other", ground: "staging" }))];
}

/** What the seeds of specs lead to. */
function groundOn({ platform, cluster }: OperatorEnv): Fixture {
  const { url: baseUrl, organizationId, credentialsId } = platform;
  return {
    name: "ground",
    baseUrl,
    proxyUrl: SOMEWHERE.proxyUrl,
    organizationId,
    credentialsId,
    clusterOf: () => platform.clusterIds[1] ?? "",
    id: (kind, name) => {
      const id = member(cluster.find(kind, name)?.status, "externalId");
      return typeof id === "string" ? id : SOMEWHERE.id(kind, name);
    },
  };
}

/** The ground, on a connection of its own. */
function standings(env: OperatorEnv, cases: KindCases, fixture: Fixture): readonly Manifest[] {
  const values = Object.entries({ ...VALUES, ...CONFIGURATION });
  const standing = [...cases.stands(fixture), ...(cases.own?.(fixture, "bad") ?? [])];
  return [
    // The good ones have a Secret of one of these names.
    ...values.map(([name, data]) => secret(name, { ...data, password: "not-a-password" })),
    secret(fixture.name, { token: env.platform.tokens.admin }),
    connection(env, fixture.name),
    ...standing.map(({ kind, name, spec }) => resource(kind, name, spec)),
  ];
}

/** Stored before the operator looks, and before another process of it starts: each stalls, and nothing is sent. */
async function stallEach({ env, kind, bad }: World): Promise<void> {
  const addresses = (): readonly string[] => env.calls().map(({ method, path }) => `${method} ${path}`);
  const wrong = (): readonly string[] =>
    bad.flatMap(({ title, name }) =>
      env.told(kind, name, "Stalled") === "True/InvalidSpec" ? [] : [`${title}: ${env.looks(kind, name)}`],
    );
  const [known, since] = [new Set(addresses()), env.mark()];
  for (const { name, spec } of bad) env.cluster.create(kind, name, spec, { finalizers: [FINALIZER] });
  await env.run(STEP_MS);
  expect(wrong()).toEqual([]);
  await env.restart();
  await env.run(MINUTE);
  expect(wrong()).toEqual([]);
  expect(env.writes(since)).toEqual([]);
  expect(addresses().filter((address) => !known.has(address))).toEqual([]);
}

/** How long the good one takes to its end; Infinity beyond a minute. */
async function timeToEnd({ env, kind, good }: World): Promise<number> {
  const type = kind === "PlatformOperation" ? "Complete" : "Ready";
  env.apply(good);
  for (let took = STEP_MS; took <= MINUTE; took += STEP_MS) {
    await env.run(STEP_MS);
    if (env.told(kind, good.metadata.name, type).startsWith("True/")) return took;
  }
  return Infinity;
}

/** A spec for a bench that has Secrets alone, by a name of its own on the platform. */
function workable({ spec, name }: Named): Json {
  const written = JSON.parse(JSON.stringify(spec).replaceAll("configMap", "secret")) as Json;
  return isObject(written) && "name" in written ? { ...written, name } : written;
}

/** Whatever they come to, they say it, and no call carries what no schema knows. */
function comeToAnEnd({ env, kind, odd }: World): void {
  const ends = odd.map(({ title, name }) => `${title}: ${env.told(kind, name)} ${env.looks(kind, name)}`);
  expect(ends.filter((one) => !/: (True|False)\//.test(one) || one.includes("InternalError"))).toEqual([]);
  expect(env.calls().filter(({ path, body }) => JSON.stringify([path, body]).includes(CANARY))).toEqual([]);
  expect("polluted" in {}).toBe(false);
}

/** None of them hangs when it is deleted. */
async function go({ env, kind, bad, odd }: World): Promise<void> {
  const all = [...bad, ...odd];
  for (const [index, { name }] of all.entries()) {
    env.cluster.remove(kind, name);
    if (index % BATCH === 0) await env.run(SECOND);
  }
  await env.run(MINUTE);
  expect(all.filter(({ name }) => env.cluster.find(kind, name) !== undefined)).toEqual([]);
}

/**
 * One after the other becomes the spec of the good one; then it gets its own again, and all is as it was.
 * @returns the most milliseconds of the thread's own time that one of them took: a neighbour waits as long
 */
async function stallTheGoodOne({ env, kind, good, others, bad }: World): Promise<number> {
  const { name } = good.metadata;
  const standing = [good, ...others].filter((one) => one.kind !== "Secret");
  const looks = (): readonly string[] =>
    standing.map((one) => `${one.kind} ${one.metadata.name} ${env.looks(one.kind, one.metadata.name)}`);
  // What is over is not looked at any more.
  const stalled = kind === "PlatformOperation" ? "" : "True/InvalidSpec";
  const wrong: string[] = [];
  // The first poll after a deployment reads the ingress.
  await env.run(POLL_MS);
  const [before, since] = [looks(), env.mark()];
  let longest = 0;
  for (const { title, spec } of bad) {
    const from = process.threadCpuUsage();
    env.cluster.spec(kind, name, spec);
    await env.run(STEP_MS);
    const { user, system } = process.threadCpuUsage(from);
    longest = Math.max(longest, (user + system) / 1_000);
    if (env.told(kind, name, "Stalled") !== stalled) wrong.push(`${title}: ${env.looks(kind, name)}`);
  }
  expect(wrong).toEqual([]);
  env.apply(good);
  await env.run(POLL_MS);
  expect(looks()).toEqual(before);
  expect(env.writes(since)).toEqual([]);
  return longest;
}

describe("[E16] generated values that no schema lets pass", { timeout: 600_000 }, () => {
  it.for(rows)("stall each its own $kind ($surface), and no good one", async (row, { task }) => {
    const around = await world(row);
    const { env, kind, bad, odd, leaves } = around;
    await stallEach(around);
    for (const one of odd) env.cluster.create(kind, one.name, workable(one));
    const took = await timeToEnd(around);
    expect(took).toBeLessThanOrEqual(DEADLINE_MS);
    await env.run(MINUTE);
    comeToAnEnd(around);
    await go(around);
    const longest = await stallTheGoodOne(around);
    expect(longest).toBeLessThanOrEqual(DEADLINE_MS);
    expect(env.internal).toEqual([]);
    const values = bad.length + odd.length;
    figure(
      task,
      `${values} invalid values of ${leaves} leaves of ${kind}; a good one at its end after ${took / SECOND} s, none busy for more than ${Math.ceil(longest)} ms`,
      values,
    );
  });
});
