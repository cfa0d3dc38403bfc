import { describe, expect, it } from "vitest";

import { changeSettings } from "../../../simulator/base/settings.ts";
import type { FaultInput } from "../../../simulator/request/faults.ts";
import { RESOLVE } from "../../../src/api/names.ts";
import { nonEmptyText } from "../../../src/engine/contract/status.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import { effort } from "../../support/env/effort.ts";
import { answerIn } from "../../support/kube/answer.ts";
import { blueprint, database, defaults, NEXT_COMMIT, resource, tree } from "../../support/kube/manifests.ts";
import { MINUTE, SECOND } from "../../support/platform/durations.ts";
import { figure } from "../../support/platform/figure.ts";
import { operatorEnv, settledEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";

type Loss = readonly [what: string, fault: Omit<FaultInput, "match" | "name">];

/** Ways in which nobody learns what became of a write. */
const losses: readonly Loss[] = [
  ["applied, no answer in time", { effect: "applied", answer: { is: "silence" } }],
  ["never arrived, no answer in time", { effect: "none", answer: { is: "silence" } }],
  ["applied, 502", { effect: "applied", answer: { is: "status", status: 502 } }],
  ["not applied, 502", { effect: "none", answer: { is: "status", status: 502 } }],
  ["applied, reset", { effect: "applied", answer: { is: "reset" } }],
  ["not applied, reset", { effect: "none", answer: { is: "reset" } }],
  ["lands 20 s after the reset", { effect: "late", lateSeconds: 20, answer: { is: "reset" } }],
  ["applied, half an answer", { effect: "applied", answer: { is: "truncated" } }],
  ["applied, an answer that is no JSON", { effect: "applied", answer: { is: "malformed" } }],
  ["applied, an empty answer", { effect: "applied", answer: { is: "status", status: 201, body: "" } }],
];

/** Of each it shows afterwards whether it happened, on the full surface. */
const CREATES = ["createProject", "createEnvironment", "createApplication", "createDatabase", "createBlueprint"];
const POSTS = [...CREATES, "createWebhook"];
/** Creates of which the documented surface does not show what became of them. */
const UNKNOWABLE = [
  ["createApplication", "PlatformApplication", "a"],
  ["createDatabase", "PlatformDatabase", "d"],
  ["createBlueprint", "PlatformBlueprint", "b"],
  ["createWebhook", "PlatformWebhook", "hook"],
] as const;

const webhook = resource("PlatformWebhook", "hook", {
  targetUrl: "https://hooks.example.com/x",
  events: ["DEPLOYMENT_STARTED"],
});

function applyAll(env: OperatorEnv, connection: JsonObject = {}): void {
  env.apply(...defaults(env, connection), ...tree(env, "a"), database("d", "a"), blueprint("b", "a"), webhook);
}

function lose({ platform }: OperatorEnv, fault: Loss[1], ...operations: readonly string[]): void {
  for (const operation of operations) platform.sim.faults.add({ ...fault, match: { operation } });
}

const sent = (env: OperatorEnv, operation: string): number =>
  env.writes().filter((write) => write === operation).length;

const ALL_ONCE = [
  "createApplication created a",
  "createBlueprint created b",
  "createBlueprint deployed b",
  "createDatabase created d",
  "createEnvironment created a",
  "createProject created a",
  "createWebhook created webhook",
  "deployApplication deployed a",
  "deployDatabase deployed d",
];

const some = losses.filter((_, index) => effort.all || [2, 5, 6, 7].includes(index));

/** Silence is waited for in real time. */
const benched = (surface: "full" | "documented", { answer }: Loss[1]): Promise<OperatorEnv> =>
  operatorEnv({ surface, deadlines: answer.is === "silence" ? { writeMs: 700 } : {} });

describe("[A3] a create with an unknown outcome", () => {
  it.each(some)("is sent once on the full surface (%s)", async (_what, fault) => {
    const env = await benched("full", fault);
    lose(env, fault, ...POSTS);
    applyAll(env, { surface: "Full" });
    await env.run(40 * MINUTE);
    for (const { kind, metadata } of env.cluster.all())
      expect(env.condition(kind, metadata.name), `${kind} ${metadata.name}`).toMatch(/^True/);
    expect(env.effects()).toEqual(ALL_ONCE);
    expect(env.calls().filter((call) => call.fault !== null)).toHaveLength(POSTS.length);
  });

  it.for(some)("is sent once on the documented surface, or reported in 90 s (%s)", async ([, fault], { task }) => {
    const env = await benched("documented", fault);
    env.apply(...defaults(env), ...tree(env, "a").slice(0, 2));
    lose(env, fault, ...POSTS);
    await env.run(20 * MINUTE);
    expect(env.condition("PlatformProject", "a")).toMatch(/^True/);
    // The statistics of a project show that an environment was created, and nothing shows that it was not.
    const isMade = fault.effect !== "none";
    expect(env.condition("PlatformEnvironment", "a")).toBe(isMade ? "True/Available" : "False/CreateResultUnknown");
    expect(sent(env, "createEnvironment")).toBe(1);
    const answer = isMade ? {} : { [RESOLVE]: answerIn(env.get("PlatformEnvironment", "a")) };
    env.cluster.annotate("PlatformEnvironment", "a", answer);
    await env.run(MINUTE);
    expect(env.condition("PlatformEnvironment", "a")).toBe("True/Available");
    applyAll(env);
    const from = env.clock.monotonic();
    const open = new Set<string>(UNKNOWABLE.map(([, kind]) => kind));
    while (open.size > 0 && env.clock.monotonic() - from < 90 * SECOND) {
      await env.run(SECOND);
      for (const [, kind, name] of UNKNOWABLE) {
        if (env.condition(kind, name) === "False/CreateResultUnknown") open.delete(kind);
      }
    }
    expect([...open]).toEqual([]);
    const took = Math.ceil((env.clock.monotonic() - from) / SECOND);
    figure(task, `${took} s until each CreateResultUnknown`, POSTS.length);
    await env.run(20 * MINUTE);
    for (const [operation, kind, name] of UNKNOWABLE) {
      expect(env.condition(kind, name), kind).toBe("False/CreateResultUnknown");
      expect(sent(env, operation), operation).toBe(1);
    }
    const created = env.effects();
    expect(created).toEqual([...new Set(created)]);
  });
});

describe("[A4] an action with an unknown outcome", () => {
  /** Seconds from the request until the platform shows the new state: all within the landing window of a minute. */
  const lags = effort.all ? [1, 20, 55] : [20];
  const rows = some.flatMap(([what, fault], index) => {
    const kills = effort.all ? [true, false] : [index % 2 === 0];
    return lags.flatMap((lag) => kills.map((killed) => ({ what, fault, lag, killed })));
  });

  it.each(rows)("happens once ($what; shown after $lag s; killed: $killed)", async ({ fault, lag, killed }) => {
    const env = await benched("full", fault);
    applyAll(env);
    const externalId = env.platform.clusterIds[0] ?? "";
    env.apply(resource("PlatformCluster", "c", { externalId, lifecycle: { applyPolicy: "Automatic" } }));
    await env.run(20 * MINUTE);
    expect(env.effects()).toEqual(ALL_ONCE);
    const acceptLatencySeconds = Math.max(1, lag - (fault.lateSeconds ?? 0));
    changeSettings(env.platform.sim.settings, { acceptLatencySeconds });

    const act = async (kind: string, name: string, spec: JsonObject, operation: string): Promise<void> => {
      const from = env.baseline();
      lose(env, fault, operation);
      env.cluster.patch(kind, name, { spec });
      await env.run(0);
      if (killed) await env.restart();
      await env.run(15 * MINUTE);
      const done = env.effects(from).filter((effect) => effect.startsWith(operation));
      expect(done, operation).toHaveLength(1);
      expect(env.condition(kind, name), operation).toMatch(/^True/);
    };
    await act("PlatformApplication", "a", { deploy: { gitCommitId: NEXT_COMMIT } }, "deployApplication");
    await act("PlatformApplication", "a", { runState: "Stopped" }, "stopApplication");
    await act("PlatformDatabase", "d", { runState: "Stopped" }, "stopDatabase");
    await act("PlatformDatabase", "d", { runState: "Running" }, "deployDatabase");
    await act("PlatformCluster", "c", { kubernetesVersion: "1.34" }, "upgradeCluster");
  });
});

const STEP = effort.cases(5, 1);

describe("[A5] a deletion of everything", () => {
  it.for([
    ["without faults", undefined],
    ["with a reset after each DELETE", { effect: "applied", answer: { is: "reset" } }],
    ["with a 502 before each DELETE", { effect: "none", answer: { is: "status", status: 502 } }],
  ] as const)("ends although the operator is killed every 90 s (%s)", async (row, { task }) => {
    const [, fault] = row;
    const lifecycle = { deletionPolicy: "Delete" };
    const env = await settledEnv((env) => [...tree(env, "a", { lifecycle }), database("d", "a", { lifecycle })]);
    const from = env.baseline();
    if (fault !== undefined)
      lose(env, fault, "deleteApplication", "deleteDatabase", "deleteEnvironment", "deleteProject");
    for (const { kind, metadata } of env.cluster.all()) {
      if (kind !== "PlatformConnection") env.cluster.remove(kind, metadata.name);
    }
    /** Seconds for which an object was still there after what it stood for had gone. */
    const lingered = new Map<string, number>();
    for (let second = STEP; second <= 20 * 90; second += STEP) {
      await env.run(STEP * SECOND);
      const remotes = env.remotes();
      for (const { kind, metadata, status } of env.cluster.all()) {
        const id = nonEmptyText(member(status, "externalId"));
        const key = `${kind}/${metadata.name}`;
        if (id !== undefined && !remotes.has(id)) lingered.set(key, (lingered.get(key) ?? 0) + STEP);
      }
      if (second % 90 === 0) await env.restart();
    }
    await env.run(5 * MINUTE);
    expect(env.cluster.all().map(({ kind }) => kind)).toEqual(["PlatformConnection"]);
    expect([...env.remotes().values()]).toEqual([]);
    expect(env.effects(from).filter((effect) => !effect.includes(" deleted "))).toEqual([]);
    const longest = Math.max(...lingered.values());
    // Where no answer shows that, two lists a minute apart do; a kill may come between them.
    expect(longest).toBeLessThanOrEqual(180);
    figure(task, `${longest} s at most from gone on the platform to gone, 20 kills`);
  });
});
