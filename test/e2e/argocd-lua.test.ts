/** Argo CD's own command runs our Lua scripts: the health of every status of the operator, and every action. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { GROUP, PAUSED, REDEPLOY_REQUESTED_AT } from "../../src/api/names.ts";
import { conditionOf } from "../../src/engine/contract/status.ts";
import { planIn } from "../../src/engine/policies/policy-status.ts";
import { RESOURCES } from "../../src/kinds/index.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import { annotated, type HealthCase, healthCases } from "../health/cases.ts";
import { fencedIn, textOf } from "../support/examples/pages.ts";
import { startLuaEnv } from "./argocd/lua.ts";
import { newFolder } from "./folder.ts";

const env = await startLuaEnv();
/** The settings of the guide for an app of apps. */
const settings = join(await newFolder("app-of-apps"), "argocd-cm.yaml");
const ofGuide = fencedIn(textOf("docs/guides/argocd.md"), "yaml").find((text) => text.includes("kind: ConfigMap"));
await writeFile(settings, ofGuide ?? "");
const guide = await startLuaEnv(settings);

/** @returns the results of all items, three at a time, as each starts a program */
async function each<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const left = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await run(item);
  };
  await Promise.all([work(), work(), work()]);
  return results;
}

function caseOf(name: string): HealthCase {
  const found = healthCases.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no case ${name}`);
  return found;
}

/** The message that Argo CD shows beside the health. */
function messageOf({ object, health }: HealthCase): string {
  if (object.metadata.annotations?.[PAUSED] === "true")
    return "Paused: the operator leaves it alone until it is resumed";
  const condition = conditionOf(object, health === "Degraded" ? "Stalled" : "Ready");
  if (condition === undefined) return "Waiting for the operator to look at this resource";
  if (condition.observedGeneration !== object.metadata.generation) {
    return "Waiting for the latest change of the spec to be observed";
  }
  const { status, reason, message } = condition;
  const settings = conditionOf(object, "SettingsSynced");
  const unsent = settings === undefined ? "" : `; ${settings.reason}: ${settings.message}`;
  if (status === "Unknown" && reason === "NotObservable")
    return `accepted; the platform does not show the end: ${message}${unsent}`;
  return `${reason}: ${message}${unsent}`;
}

/** An object after an action. */
const Acted = z.looseObject({
  metadata: z.looseObject({ annotations: z.record(z.string(), z.string()).optional() }),
  spec: z.unknown(),
  status: z.unknown(),
});
const annotationsOf = (object: unknown) => Acted.parse(object).metadata.annotations ?? {};

/** The cases with different statuses or annotations, and one of each kind: the script does not read kind, name or spec. */
const DIFFERENT = new Set([
  ...new Map(
    healthCases.map((one) => {
      const { metadata, status } = one.object;
      return [JSON.stringify([metadata.annotations, metadata.generation, status]), one];
    }),
  ).values(),
  ...RESOURCES.map(({ kind }) => caseOf(`${kind.toLowerCase()}-ready`)),
]);

describe("the health script of argocd-cm.yaml", () => {
  it("gives the health of test/health/cases.ts for every status and every kind, with the message of the condition", async () => {
    const results = await each([...DIFFERENT], async ({ name, object }) => [name, await env.health(object)] as const);
    const expected = [...DIFFERENT].map((one) => [one.name, { status: one.health, message: messageOf(one) }]);
    expect(Object.fromEntries(results)).toEqual(Object.fromEntries(expected));
    expect(new Set(results.map(([, { status }]) => status))).toEqual(
      new Set(["Healthy", "Progressing", "Degraded", "Suspended"]),
    );
  });

  it("gives Progressing for an object without a status, and while it is deleted", async () => {
    const { status: _, ...bare } = caseOf("platformproject-new").object;
    expect(await env.health(bare)).toMatchObject({ status: "Progressing" });
    const { metadata, ...rest } = caseOf("platformproject-ready").object;
    const deleted = { ...rest, metadata: { ...metadata, deletionTimestamp: "2026-11-21T10:00:00Z" } };
    expect(await env.health(deleted)).toEqual({ status: "Progressing", message: "Pending deletion" });
  });
});

describe("the health script of the guide for an app of apps", () => {
  const application = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "shop", namespace: "argocd", uid: "4a8e6c1e-4f5a-4d84-9f0e-0b1c2d3e4f50", resourceVersion: "1" },
    spec: {},
  };
  const degraded = { status: "Degraded", message: "it does not build" };

  it("gives an Application the health in its status, and Progressing without one", async () => {
    expect(await guide.health({ ...application, status: { health: degraded } })).toEqual(degraded);
    const healthy = { ...application, status: { health: { status: "Healthy" } } };
    expect(await guide.health(healthy)).toEqual({ status: "Healthy", message: "" });
    expect(await guide.health({ ...application, status: {} })).toMatchObject({ status: "Progressing" });
    expect(await guide.health(application)).toMatchObject({ status: "Progressing" });
  });
});

describe("the actions", () => {
  const everyKind = RESOURCES.map(({ kind }) => kind);
  const ready = (kind: string): KubeObject => caseOf(`${kind.toLowerCase()}-ready`).object;
  const usual = { reconcile: false, pause: false, resume: true };

  it.each([
    "platformproject-ready",
    "platformproject-approval",
    "platformapplication-state-deployed",
    "platformdatabase-state-deployed",
  ])("of %s are disabled while it is paused, except resume", async (name) => {
    const offer = await env.actions(annotated(caseOf(name).object, "paused", "true"));
    expect(Object.keys(offer).filter((action) => offer[action] === false)).toEqual(["resume"]);
  });

  it("reconcile, pause and resume are offered for every kind, set its annotations, and change nothing else", async () => {
    await each(everyKind, async (kind) => {
      const object = ready(kind);
      expect(await env.actions(object), kind).toMatchObject(usual);
      const bare = Acted.parse(object);
      const [reconciled, ...others] = await env.act(object, "reconcile");
      expect(others).toEqual([]);
      expect(annotationsOf(reconciled)).toEqual({
        [`${GROUP}/reconcile-requested-at`]: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      });
      expect(Acted.parse(reconciled)).toMatchObject({ spec: bare.spec, status: bare.status });
      const [paused] = await env.act(object, "pause");
      expect(annotationsOf(paused)).toEqual({ [`${GROUP}/paused`]: "true" });
      const [resumed] = await env.act(annotated(object, "paused", "true"), "resume");
      expect(annotationsOf(resumed)).toEqual({});
    });
  });

  it("approve approves the plan in the status, if there is one", async () => {
    const planned = healthCases.filter(({ name }) => name.endsWith("-approval"));
    expect(planned.length).toBeGreaterThan(8);
    expect(await env.actions(caseOf("platformproject-approval").object)).toEqual({ ...usual, approve: false });
    await each(planned, async ({ object }) => {
      const [approved] = await env.act(object, "approve");
      expect(annotationsOf(approved)).toEqual({ [`${GROUP}/approved-plan`]: planIn(object)?.hash });
    });
    expect(await env.actions(ready("PlatformProject"))).toEqual(usual);
  });

  it.each(["application", "database"])(
    "redeploy requests another deployment of the %s by an annotation",
    async (noun) => {
      const { object } = caseOf(`platform${noun}-state-deployed`);
      expect(await env.actions(object)).toEqual({ ...usual, redeploy: false });
      const [redeployed, ...others] = await env.act(object, "redeploy");
      expect(others).toEqual([]);
      expect(annotationsOf(redeployed)).toEqual({
        [REDEPLOY_REQUESTED_AT]: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      });
      const { spec, status } = Acted.parse(object);
      expect(Acted.parse(redeployed)).toMatchObject({ spec, status });
    },
  );

  it("redeploy is not offered for an application that was not deployed", async () => {
    expect(await env.actions(ready("PlatformApplication"))).toEqual({ ...usual, redeploy: true });
  });
});
