import { describe, expect, it } from "vitest";

import { EXTERNAL_ID, SEAL } from "../../../src/api/names.ts";
import { everyKind } from "../../support/examples/every-kind.ts";
import { application, COMMIT, NEXT_COMMIT } from "../../support/kube/manifests.ts";
import { idsOf, loseStatuses, readiness, stripMetadata } from "../../support/kube/restores.ts";
import { figure } from "../../support/platform/figure.ts";
import { operatorBench, type OperatorBench } from "../../support/platform/operator-env.ts";

const MINUTE = 60_000;
const DELETED = { deletionPolicy: "Delete" };
/** Puts what is there already in its place once more: where the surface shows nothing of it, nobody can know. */
const REPEATED = new Set(["importEnvironmentVariable", "updateClusterPlatformBinding"]);
/** What a seal kept until there was a status is in the status. */
const EMPTY_SEAL: unknown = expect.stringMatching(/^[\w-]{22}$/);
const NAMES = Array.from({ length: 12 }, (_, index) => `app-${index}`);

/** One of each kind, and more applications than the brake lets through at once. */
async function fleet(surface: "full" | "documented"): Promise<OperatorBench> {
  const bench = await operatorBench({ surface });
  const variables = [{ name: "LEVEL", value: "info" }];
  bench.apply(...everyKind(bench, DELETED), ...NAMES.map((name) => application(name, "staging", { variables })));
  await bench.run(15 * MINUTE);
  expect(readiness(bench).filter((line) => !line.includes(": True/"))).toEqual([]);
  return bench;
}

/** A request that the platform has no operation for: an update of a secret, tried once as nothing tells of it before. */
const TRIED = "";

const actions = (writes: readonly string[]): readonly string[] =>
  writes.filter((write, index) => !REPEATED.has(write) && (write !== TRIED || writes.indexOf(TRIED) !== index));

async function deployNext(bench: OperatorBench): Promise<void> {
  const from = bench.mark();
  const spec = bench.get("PlatformApplication", "app-1").spec as object;
  bench.cluster.spec("PlatformApplication", "app-1", { ...spec, deploy: { gitCommitId: NEXT_COMMIT } });
  await bench.run(5 * MINUTE);
  expect(bench.writes(from)).toEqual(["deployApplication"]);
  expect(bench.told("PlatformApplication", "app-1")).toBe("True/Deployed");
}

describe.each(["full", "documented"] as const)(
  "[R1] records that are lost, %s surface",
  { timeout: 60_000 },
  (surface) => {
    it("all statuses: the same objects again, nothing made, deployed or done once more", async ({ task }) => {
      const bench = await fleet(surface);
      const ids = idsOf(bench);
      const from = bench.mark();
      bench.kill();
      loseStatuses(bench);
      await bench.restart();
      await bench.run(15 * MINUTE);
      await bench.restart();
      await bench.run(15 * MINUTE);
      expect(idsOf(bench)).toEqual(ids);
      expect(actions(bench.writes(from))).toEqual([]);
      expect(surface === "full" ? bench.writes(from) : []).toEqual([]);
      expect(readiness(bench).filter((line) => !line.includes(": True/"))).toEqual([
        // Whether it was done nobody can know any more, and of what is there whether it is the set's own.
        "PlatformOperation once: False/OperationResultUnknown",
        "PlatformVariableSet shared: False/VariablesPending",
      ]);
      const { lastDeployment } = bench.get("PlatformApplication", "app-1").status as { lastDeployment: object };
      expect(lastDeployment).toMatchObject({ gitCommitId: COMMIT });
      await deployNext(bench);
      figure(task, "0 creates, 0 deploys after all statuses were lost", Object.keys(ids).length);
    });

    it("all annotations and finalizers, as kubectl replace strips them: restored from the status", async ({ task }) => {
      const bench = await fleet(surface);
      const before = new Map(bench.cluster.all().map((object) => [`${object.kind} ${object.metadata.name}`, object]));
      const from = bench.mark();
      stripMetadata(bench);
      await bench.run(15 * MINUTE);
      for (const { kind, metadata } of bench.cluster.all()) {
        const { annotations = {}, finalizers = [] } = before.get(`${kind} ${metadata.name}`)?.metadata ?? {};
        // An operation that is over needs no memory of its beginning.
        const kept = kind === "PlatformOperation" ? {} : annotations;
        const sealed = kept[SEAL]?.includes(".") === true ? { [SEAL]: EMPTY_SEAL } : {};
        expect(metadata.annotations, `${kind} ${metadata.name}`).toEqual({ ...kept, ...sealed });
        expect(metadata.finalizers, `${kind} ${metadata.name}`).toEqual(finalizers);
      }
      expect(bench.writes(from)).toEqual([]);
      await deployNext(bench);
      // One that was changed counts as little: the status wins.
      const { "PlatformApplication app-1": mine, "PlatformApplication app-2": other } = idsOf(bench);
      bench.cluster.annotate("PlatformApplication", "app-1", { [EXTERNAL_ID]: String(other) });
      await bench.run(15 * MINUTE);
      expect(bench.get("PlatformApplication", "app-1").metadata.annotations?.[EXTERNAL_ID]).toBe(mine);
      stripMetadata(bench);
      await bench.run(15 * MINUTE);
      for (const { kind, metadata } of bench.cluster.all()) bench.cluster.remove(kind, metadata.name);
      await bench.run(20 * MINUTE);
      expect(bench.cluster.all()).toEqual([]);
      const { services, environments, projects } = bench.platform.world();
      // The documented surface deletes nothing.
      const left = surface === "full" ? [0, 0, 0] : [3 + NAMES.length, 1, 1];
      expect([services.size, environments.size, projects.size]).toEqual(left);
      figure(task, "0 writes, 0 creates after all annotations were stripped", before.size);
    });
  },
);
