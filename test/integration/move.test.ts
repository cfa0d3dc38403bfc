/**
 * What becomes of an object whose resource moves to another namespace or installation, as docs/guides/move.md says, or
 * is restored from a backup. test/e2e/guides.test.ts types the page's commands themselves.
 */
import { join } from "node:path";

import { beforeAll, describe, expect, inject, it } from "vitest";

import { RESOLVE } from "../../src/api/names.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import { writeContexts } from "../control-plane/access.ts";
import { createEnv } from "../support/env/env.ts";
import { ownControlPlane } from "../support/env/own-control-plane.ts";
import { idOf } from "../support/env/settling.ts";
import { application, database, defaults, deploying, NEXT_COMMIT, secret, tree } from "../support/kube/manifests.ts";
import { cli } from "../support/programs/cli.ts";

const APP = "PlatformApplication";
const READY = { status: "True" } as const;

const contexts = { here: inject("controlPlane"), there: await ownControlPlane() };
const kubeconfig = join(contexts.there.dir, "two-clusters");

describe("an application, on a surface that does not show its environment", () => {
  const here = createEnv({ surface: "documented", more: ["b"] });
  const there = createEnv({ surface: "documented", controlPlane: contexts.there });
  const other = () => here.at("b");
  const plugin = (...argv: readonly string[]) =>
    cli([...argv, "--kubeconfig", kubeconfig, "--context", "here", "-n", here.namespace], {
      kubectl: contexts.here.kubectlPath,
    });
  const orphans = () => plugin("orphans", `--operator-namespace=${here.operatorNamespace}`);

  beforeAll(async () => {
    await writeContexts(kubeconfig, contexts);
    await there.apply(...defaults(here, {}), secret("values", { token: "not-a-token" }));
    await other().apply(...defaults(here, {}));
    await here.ready(
      ...defaults(here, { allowUnverifiedIds: false }),
      ...tree(here, "shop"),
      secret("values", { token: "not-a-token" }),
      application("api", "shop", {
        variables: [
          { name: "TOKEN", valueFrom: { secretKeyRef: { name: "values", key: "token" } } },
          { name: "MODE", value: "fast" },
        ],
      }),
      ...["web", "kept"].map((name) => application(name, "shop")),
      database("orders", "shop", { lifecycle: { deletionPolicy: "Delete" } }),
      database("idle", "shop", { runState: "Stopped" }),
    );
  });

  it("moves to another namespace by its id, and is deployed once there", async () => {
    const before = await here.get(APP, "web");
    const environmentRef = { externalId: idOf(await here.get("PlatformEnvironment", "shop")) };
    const record = await here.record();
    const moving = application("web", "shop", { externalId: idOf(before), environmentRef });
    await other().apply(moving);
    await other().waitFor(APP, "web", { reason: "AlreadyManaged" });
    await here.delete(before);
    expect(idOf(await other().waitFor(APP, "web", READY))).toBe(idOf(before));
    await here.settled();
    expect(record.changes()).toEqual(["deployApplication"]);
    await expect.poll(async () => (await orphans()).stderr).toContain("No resources found");
  });

  it("is found again by a backup that is applied after its resource was deleted while no operator ran", async () => {
    const before = await here.get(APP, "kept");
    const manifest = await here.kubectl(["get", "papp", "kept", "-o", "yaml"]);
    await here.stop();
    await here.delete(before);
    await here.start();
    const record = await here.record();
    expect(await here.kubectl(["apply", "-f", "-"], { input: manifest })).toMatch(/ created$/m);
    expect(idOf(await here.waitFor(APP, "kept", READY))).toBe(idOf(before));
    expect(record.changes()).toEqual([]);
  });

  describe("all resources of a namespace", () => {
    const KINDS = ["PlatformProject", "PlatformEnvironment", APP, "PlatformDatabase"];
    const plurals = KINDS.map((kind) => `${kind.toLowerCase()}s`).join(",");
    const objectsIn = async (env: Pick<typeof here, "list">): Promise<readonly KubeObject[]> =>
      (await Promise.all(KINDS.map((kind) => env.list(kind)))).flat();
    const idsOf = (objects: readonly KubeObject[]) =>
      Object.fromEntries(objects.map((object) => [`${object.kind} ${object.metadata.name}`, idOf(object)]));

    it("move to another installation by a backup and the answer adopt: each application is deployed once, and none becomes an orphan", async () => {
      const before = idsOf(await objectsIn(here));
      const record = await here.record();
      const yaml = await here.kubectl(["get", plurals, "-o", "yaml"]);
      const backup = yaml.replaceAll(/^.*reconcile-requested-at.*\n/gm, "");
      const copy = backup.replaceAll(here.namespace, there.namespace);
      await there.kubectl(["apply", "-f", "-"], { input: copy });
      for (const { kind, metadata } of await objectsIn(there)) {
        await there.waitFor(kind, metadata.name, { reason: "ForeignLedger" });
      }

      const observed = JSON.stringify({ spec: { lifecycle: { managementPolicy: "ObserveOnly" } } });
      await here.kubectl(["patch", "-f", "-", "--type", "merge", "-p", observed], { input: backup });
      const names = (await here.kubectl(["get", plurals, "-o", "name"])).trim().split("\n");
      expect(await plugin("reconcile", ...names, "--wait")).toMatchObject({ code: 0 });
      await here.kubectl(["delete", "-f", "-"], { input: backup });
      expect(await objectsIn(here)).toEqual([]);

      await there.kubectl(
        [
          "annotate",
          "-f",
          "-",
          `${RESOLVE}=adopt:${await here.kubectl(["get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}"])}`,
        ],
        { input: copy },
      );
      // The documented operations show no state of a database: its Ready is Unknown.
      await there.kubectl(["wait", "-f", "-", "--for=condition=Synced", "--timeout=30s"], { input: copy });
      await there.settled();
      expect(idsOf(await objectsIn(there))).toEqual(before);
      const applications = await there.list(APP);
      expect(record.changes()).toEqual(applications.map(() => "deployApplication"));
      expect((await orphans()).stderr).toContain("No resources found");

      // From now on the other operator writes to them.
      const later = await here.record();
      await there.patch(APP, "shop", deploying(NEXT_COMMIT));
      await there.waitFor(APP, "shop", { ...READY, reason: "Deployed" });
      expect(later.changes()).toEqual(["deployApplication"]);
    });
  });
});
