/**
 * Stored values that a CRD refuses, but an older version of it accepted: each stalls its own resource, and no other of
 * its kind.
 */
import { describe, expect, it } from "vitest";

import type { Surface } from "../../../simulator/base/operations.ts";
import { FINALIZER } from "../../../src/api/names.ts";
import { nonEmptyText } from "../../../src/engine/contract/status.ts";
import { isObject, member } from "../../../src/kube/api/json.ts";
import type { Json } from "../../../src/kube/api/types.ts";
import { SAMPLES } from "../../samples/index.ts";
import type { Manifest } from "../../support/env/cluster.ts";
import { effort } from "../../support/env/effort.ts";
import { everyKind } from "../../support/examples/every-kind.ts";
import { application, connection, secret } from "../../support/kube/manifests.ts";
import { MINUTE, SECOND } from "../../support/platform/durations.ts";
import { figure } from "../../support/platform/figure.ts";
import { operatorEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";
import { casesOf } from "../generated/cases.ts";
import { CANARY, refusedJunk, unknownMembers, type Junk } from "../generated/junk.ts";
import { KINDS } from "../generated/kinds/index.ts";
import { CONFIGURATION, VALUES } from "../generated/kinds/references.ts";
import { SOMEWHERE, type Fixture, type KindCases, type TestedKind } from "../generated/outcomes.ts";
import { chosen } from "../generated/trials.ts";

/** The poll interval with its jitter. */
const POLL_MS = 11.5 * MINUTE;
/** The time until a good resource is done. */
const DEADLINE_MS = 5 * SECOND;
const STEP_MS = 250;
/** The junk values that a short run tries of each kind, beside all values of the generator of changes. */
const FEW_JUNK = 40;
/** The resources that are deleted at once; more would look like a hot loop. */
const BATCH = 20;

type Row = TestedKind & { readonly surface: Surface };

const surfaces: readonly Surface[] = effort.all ? ["full", "documented"] : ["full"];
/** In `make test`: four kinds. */
const kinds = effort.all ? KINDS : chosen(KINDS, 4, effort.seed, ({ kind }) => kind);
const rows: readonly Row[] = kinds.flatMap((kind) => surfaces.map((surface) => ({ ...kind, surface })));

type Named = Junk & { readonly name: string };

type Setup = Awaited<ReturnType<typeof setUp>>;

async function setUp(row: Row) {
  const { cases, surface, kind } = row;
  const env = await operatorEnv({ surface });
  // The deadline does not include the platform's own work.
  env.platform.sim.time.setSpeed(100);
  const all = goodOnes(env);
  const good = all.find((one) => one.kind === kind);
  if (good === undefined) throw new Error(`no good ${kind}`);
  const others = all.filter((one) => one !== good).map((one) => ofSurface(one, surface));
  const fixture = fixtureOf(env);
  env.apply(...others, ...dependencies(env, cases, fixture));
  await env.run(5 * MINUTE);
  const leaves = casesOf(row, fixture, "bad");
  const invalids = leaves.flatMap((leaf) => leaf.invalids);
  // The API server alone validates the keys of lists.
  const isDuplicate = ({ title }: Junk): boolean => title.endsWith("twice");
  const junk = refusedJunk(leaves);
  const some = effort.all ? junk : chosen(junk, FEW_JUNK, effort.seed, ({ title }) => `${kind} ${title}`);
  return {
    env,
    kind,
    /** A good resource of the kind, which is not applied yet. */
    good,
    /** Good resources of all other kinds, which are settled. */
    others,
    leaves: leaves.length,
    /** Values that have to stall with InvalidSpec before anything is sent. */
    bad: named("bad", [...invalids.filter((one) => !isDuplicate(one)), ...some]),
    /** Values that the operator ignores, or that only the API server refuses. */
    odd: named("odd", [...invalids.filter(isDuplicate), ...unknownMembers(leaves)]),
  };
}

const named = (prefix: string, all: readonly Junk[]): readonly Named[] =>
  all.map((junk, index) => ({ ...junk, name: `${prefix}-${index}` }));

/** A test is about the first one of its kind; the connection is that of all others. */
function goodOnes(env: OperatorEnv): readonly Manifest[] {
  const auth = { tokenSecretRef: { name: "default" } };
  const shared = connection(env, "shared", { auth, allowedNamespaces: { names: ["elsewhere"] } });
  const some = [application("web", "staging"), ...everyKind(env), { ...shared, kind: "ClusterPlatformConnection" }];
  const others = Object.entries(SAMPLES).filter(([named]) => !some.some(({ kind }) => kind === named));
  return [...some, ...others.map(([, sample]) => sample.good({ env, name: "other", tree: "staging" }))];
}

/** Names the whole API on a connection: without a project the operator cannot find out whether the platform has it. */
function ofSurface(one: Manifest, surface: Surface): Manifest {
  const isConnection = one.kind === "PlatformConnection" && surface === "full";
  const { spec } = one;
  return isConnection && isObject(spec) ? { ...one, spec: { ...spec, surface: "Full" } } : one;
}

function fixtureOf({ platform, cluster }: OperatorEnv): Fixture {
  const { url: baseUrl, organizationId, credentialsId } = platform;
  const id: Fixture["id"] = (kind, name) =>
    nonEmptyText(member(cluster.find(kind, name)?.status, "externalId")) ?? SOMEWHERE.id(kind, name);
  const clusterOf = () => platform.clusterIds[1] ?? "";
  return { ...SOMEWHERE, name: "fixture", baseUrl, organizationId, credentialsId, clusterOf, id };
}

/** @returns the dependencies of the seeds, with a separate connection */
function dependencies(env: OperatorEnv, cases: KindCases, fixture: Fixture): readonly Manifest[] {
  const values = Object.entries({ ...VALUES, ...CONFIGURATION });
  const all = [...(cases.dependencies?.(fixture) ?? []), ...(cases.ownDependencies?.(fixture, "bad") ?? [])];
  return [
    // The good resources use the password of a Secret with one of these names.
    ...values.map(([name, data]) => secret(name, { ...data, password: "not-a-password" })),
    secret(fixture.name, { token: env.platform.tokens.admin }),
    connection(env, fixture.name),
    ...all,
  ];
}

/** Each stalls and nothing is sent, both while the operator runs and after its restart. */
async function stallEach({ env, kind, bad }: Setup): Promise<void> {
  const addresses = (): readonly string[] => env.calls().map(({ method, path }) => `${method} ${path}`);
  const wrong = (): readonly string[] =>
    bad.flatMap(({ title, name }) =>
      env.condition(kind, name, "Stalled") === "True/InvalidSpec" ? [] : [`${title}: ${env.summary(kind, name)}`],
    );
  const [known, since] = [new Set(addresses()), env.baseline()];
  for (const { name, spec } of bad) env.cluster.create(kind, name, spec, { finalizers: [FINALIZER] });
  await env.run(STEP_MS);
  expect(wrong()).toEqual([]);
  await env.restart();
  await env.run(MINUTE);
  expect(wrong()).toEqual([]);
  expect(env.writes(since)).toEqual([]);
  expect(addresses().filter((address) => !known.has(address))).toEqual([]);
}

/** What Ready says of a good one: the surface Documented does not show how a blueprint or a cluster ends. */
const DONE = /^(?:True\/|Unknown\/NotObservable$)/;

/** @returns the milliseconds until the good one is done; Infinity after a minute */
async function timeUntilDone({ env, kind, good }: Setup): Promise<number> {
  env.apply(good);
  for (let took = STEP_MS; took <= MINUTE; took += STEP_MS) {
    await env.run(STEP_MS);
    if (DONE.test(env.condition(kind, good.metadata.name))) return took;
  }
  return Infinity;
}

/** @returns the spec with Secrets instead of ConfigMaps, which the env does not have, and a unique external name */
function specOf({ spec, name }: Named): Json {
  const written = JSON.parse(JSON.stringify(spec).replaceAll("configMap", "secret")) as Json;
  return isObject(written) && "name" in written ? { ...written, name } : written;
}

/** All have a Ready condition other than InternalError, and no call carries an unknown member. */
function expectReported({ env, kind, odd }: Setup): void {
  const ends = odd.map(({ title, name }) => `${title}: ${env.condition(kind, name)} ${env.summary(kind, name)}`);
  expect(
    ends.filter((one) => !/: (?:(?:True|False)\/|Unknown\/NotObservable)/.test(one) || one.includes("InternalError")),
  ).toEqual([]);
  expect(env.calls().filter(({ path, body }) => JSON.stringify([path, body]).includes(CANARY))).toEqual([]);
  expect("polluted" in {}).toBe(false);
}

async function deleteEach({ env, kind, bad, odd }: Setup): Promise<void> {
  const all = [...bad, ...odd];
  for (const [index, { name }] of all.entries()) {
    env.cluster.remove(kind, name);
    if (index % BATCH === 0) await env.run(SECOND);
  }
  await env.run(MINUTE);
  expect(all.filter(({ name }) => env.cluster.find(kind, name) !== undefined)).toEqual([]);
}

/**
 * Each becomes the spec of the good one; then the good one gets its own spec again, and the state is the same as before.
 * @returns the most milliseconds of the thread's CPU time for one of them: other objects wait that long
 */
async function stallTheGoodOne({ env, kind, good, others, bad }: Setup): Promise<number> {
  const { name } = good.metadata;
  const all = [good, ...others].filter((one) => one.kind !== "Secret");
  const conditions = (): readonly string[] =>
    all.map((one) => `${one.kind} ${one.metadata.name} ${env.summary(one.kind, one.metadata.name)}`);
  const wrong: string[] = [];
  // The first poll after a deployment reads the ingress.
  await env.run(POLL_MS);
  const [before, since] = [conditions(), env.baseline()];
  let longest = 0;
  for (const { title, spec } of bad) {
    const from = process.threadCpuUsage();
    env.cluster.spec(kind, name, spec);
    await env.run(STEP_MS);
    const { user, system } = process.threadCpuUsage(from);
    longest = Math.max(longest, (user + system) / 1_000);
    if (env.condition(kind, name, "Stalled") !== "True/InvalidSpec") wrong.push(`${title}: ${env.summary(kind, name)}`);
  }
  expect(wrong).toEqual([]);
  env.apply(good);
  await env.run(POLL_MS);
  expect(conditions()).toEqual(before);
  expect(env.writes(since)).toEqual([]);
  return longest;
}

describe("[E16] values that every schema refuses, but that are stored", () => {
  it.for(rows)("stall only their own $kind ($surface surface)", async (row, { task }) => {
    const setup = await setUp(row);
    const { env, kind, bad, odd, leaves } = setup;
    await stallEach(setup);
    for (const one of odd) env.cluster.create(kind, one.name, specOf(one));
    const took = await timeUntilDone(setup);
    expect(took).toBeLessThanOrEqual(DEADLINE_MS);
    await env.run(MINUTE);
    expectReported(setup);
    await deleteEach(setup);
    const longest = await stallTheGoodOne(setup);
    expect(longest).toBeLessThanOrEqual(DEADLINE_MS);
    expect(env.internal).toEqual([]);
    const values = bad.length + odd.length;
    const ends = `a good one done after ${took / SECOND} s, none busy for more than ${Math.ceil(longest)} ms`;
    figure(task, `${values} invalid values of ${leaves} leaves of ${kind}; ${ends}`, values);
  });
});
