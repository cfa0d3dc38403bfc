import { describe, expect, it } from "vitest";

import { EXTERNAL_ID, RECORD_SIGNATURE } from "../../../src/api/names.ts";
import { everyKind } from "../../support/examples/every-kind.ts";
import { application, COMMIT, deploying, NEXT_COMMIT } from "../../support/kube/manifests.ts";
import { MINUTE } from "../../support/platform/durations.ts";
import { figure } from "../../support/platform/figure.ts";
import { settledEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";
import { idsOf, NO_STATUS, stripMetadata, SURFACES, unready } from "./restores.ts";

const DELETED = { deletionPolicy: "Delete" };
/** Puts what is there already in its place once more: where the surface shows nothing of it, nobody can know. */
const REPEATED = new Set(["importEnvironmentVariable", "updateClusterPlatformBinding"]);
/** A new signature keeps nothing of the create: the status has it. */
const NEW_SIGNATURE: unknown = expect.stringMatching(/^[\w-]{22}\.[\w-]+$/);
const NAMES = Array.from({ length: 12 }, (_, index) => `app-${index}`);

/** One resource of each kind, and more applications than the limit of mass changes lets through at once. */
async function fleet(surface: "full" | "documented"): Promise<OperatorEnv> {
  const applications = NAMES.map((name) =>
    application(name, "staging", { variables: [{ name: "LEVEL", value: "info" }], lifecycle: DELETED }),
  );
  const env = await settledEnv((env) => [...everyKind(env, DELETED), ...applications], { surface });
  expect(unready(env)).toEqual([]);
  return env;
}

/** An operation that the platform lacks: an update of a secret, tried once as nothing shows that before. */
const TRIED = "";

const actions = (writes: readonly string[]): readonly string[] =>
  writes.filter((write, index) => !REPEATED.has(write) && (write !== TRIED || writes.indexOf(TRIED) !== index));

async function deployNext(env: OperatorEnv): Promise<void> {
  const from = env.baseline();
  env.cluster.patch("PlatformApplication", "app-1", deploying(NEXT_COMMIT));
  await env.run(5 * MINUTE);
  expect(env.writes(from)).toEqual(["deployApplication"]);
  expect(env.condition("PlatformApplication", "app-1")).toBe("True/Deployed");
}

describe.each(SURFACES)("[R1] the operator finds its objects again, %s surface,", (surface) => {
  it("when all statuses are lost: nothing is created, deployed or repeated", async ({ task }) => {
    const env = await fleet(surface);
    const ids = idsOf(env);
    const from = env.baseline();
    env.kill();
    for (const { kind, metadata } of env.cluster.all()) env.cluster.status(kind, metadata.name, NO_STATUS);
    await env.restart();
    await env.run(15 * MINUTE);
    await env.restart();
    await env.run(15 * MINUTE);
    expect(idsOf(env)).toEqual(ids);
    expect(actions(env.writes(from))).toEqual([]);
    expect(surface === "full" ? env.writes(from) : []).toEqual([]);
    expect(unready(env)).toEqual([
      // Of what is there nobody can know any more whether it is the set's own.
      "PlatformVariableSet shared: False/VariablesPending",
    ]);
    const { lastDeployment } = env.get("PlatformApplication", "app-1").status as { lastDeployment: object };
    expect(lastDeployment).toMatchObject({ gitCommitId: COMMIT });
    await deployNext(env);
    figure(task, "0 creates, 0 deploys after all statuses were lost", Object.keys(ids).length);
  });

  it("when all annotations and finalizers are lost, as by kubectl replace: it restores them from the status", async ({
    task,
  }) => {
    const env = await fleet(surface);
    const before = new Map(env.cluster.all().map((object) => [`${object.kind} ${object.metadata.name}`, object]));
    const from = env.baseline();
    stripMetadata(env);
    await env.run(15 * MINUTE);
    for (const { kind, metadata } of env.cluster.all()) {
      const { annotations = {}, finalizers = [] } = before.get(`${kind} ${metadata.name}`)?.metadata ?? {};
      const signed = annotations[RECORD_SIGNATURE] === undefined ? {} : { [RECORD_SIGNATURE]: NEW_SIGNATURE };
      expect(metadata.annotations, `${kind} ${metadata.name}`).toEqual({ ...annotations, ...signed });
      expect(metadata.finalizers, `${kind} ${metadata.name}`).toEqual(finalizers);
    }
    expect(env.writes(from)).toEqual([]);
    await deployNext(env);
    // One that was changed counts as little: the status wins.
    const { "PlatformApplication app-1": mine, "PlatformApplication app-2": other } = idsOf(env);
    env.cluster.annotate("PlatformApplication", "app-1", { [EXTERNAL_ID]: String(other) });
    await env.run(15 * MINUTE);
    expect(env.get("PlatformApplication", "app-1").metadata.annotations?.[EXTERNAL_ID]).toBe(mine);
    stripMetadata(env);
    await env.run(15 * MINUTE);
    for (const { kind, metadata } of env.cluster.all()) env.cluster.remove(kind, metadata.name);
    await env.run(20 * MINUTE);
    expect(env.cluster.all()).toEqual([]);
    const { services, environments, projects } = env.platform.world();
    // The documented surface deletes nothing.
    const isEmpty = surface === "full";
    expect(services.size).toBe(isEmpty ? 0 : 3 + NAMES.length);
    expect(environments.size).toBe(isEmpty ? 0 : 1);
    expect(projects.size).toBe(isEmpty ? 0 : 1);
    figure(task, "0 writes, 0 creates after all annotations were stripped", before.size);
  });
});
