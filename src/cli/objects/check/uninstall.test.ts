import { describe, expect, it } from "vitest";

import { API_VERSION, FINALIZER } from "../../../api/names.ts";
import { KubeError } from "../../../kube/api/errors.ts";
import type { KubeObject } from "../../../kube/api/types.ts";
import type { ClusterClient } from "../../base/cluster.ts";
import { CliError } from "../../base/exit.ts";
import { checkUninstall } from "./installation.ts";

/** An application with these finalizers. */
function application(name: string, deletionPolicy?: string, finalizers: readonly string[] = [FINALIZER]): KubeObject {
  const metadata = { name, namespace: "shop", uid: name, resourceVersion: "1", finalizers };
  const spec = deletionPolicy === undefined ? {} : { lifecycle: { deletionPolicy } };
  return { apiVersion: API_VERSION, kind: "PlatformApplication", metadata, spec };
}

/** A cluster that has only these applications. */
function having(applications: () => readonly KubeObject[]) {
  const asked = new Set<string | undefined>();
  const list: ClusterClient["list"] = async (kind, namespace) => {
    asked.add(namespace);
    return kind === "PlatformApplication" ? applications() : [];
  };
  return { cluster: { list } as ClusterClient, asked };
}

const ADVICE = "Delete it while the operator runs, or set Retain.";

describe("the check before an uninstall", () => {
  it.each<[string, KubeObject, string]>([
    [
      "is deleted",
      application("a", "Delete"),
      `deletionPolicy Delete: deleting it also deletes it on the platform. ${ADVICE}`,
    ],
    ["is stopped", application("a", "Stop"), `deletionPolicy Stop: deleting it stops it on the platform. ${ADVICE}`],
    [
      "says nothing itself",
      application("a"),
      `deletionPolicy as its connection says: deleting it changes the platform. ${ADVICE}`,
    ],
    [
      "says Retain since a moment ago",
      application("a", "Retain"),
      `deletionPolicy Retain: the operator has not removed the finalizer yet. ${ADVICE}`,
    ],
  ])("names an object that %s", async (_what, object, detail) => {
    const { cluster } = having(() => [object]);
    const finding = { what: "PlatformApplication shop/a", is: "failed", detail };
    expect(await checkUninstall(cluster, "")).toEqual([finding]);
  });

  it("names an object that is being deleted as one that waits", async () => {
    const object = application("a", "Delete");
    const deleted = { ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-11-21T10:00:00Z" } };
    const detail =
      "deletionPolicy Delete: it is being deleted and waits for the operator. Its conditions show the reason.";
    const found = await checkUninstall(having(() => [deleted]).cluster, "");
    expect(found).toEqual([{ what: "PlatformApplication shop/a", is: "failed", detail }]);
  });

  it.each<[string, () => readonly KubeObject[], number]>([
    ["objects have none of ours", () => [application("a", undefined, []), application("b", undefined, ["x.io/y"])], 2],
    [
      "the cluster does not know the kind",
      () => {
        throw new CliError("The cluster does not know platformapplications.");
      },
      0,
    ],
  ])("is content where %s", async (_what, applications, count) => {
    const { cluster, asked } = having(applications);
    const detail = `none of ${count} objects in namespace "shop" has one: deleting them does not change the platform`;
    expect(await checkUninstall(cluster, "shop")).toEqual([{ what: "finalizers", is: "ok", detail }]);
    expect([...asked]).toEqual(["shop"]);
  });

  it("does not take what it may not see for nothing", async () => {
    const { cluster } = having(() => {
      throw new KubeError("Forbidden", 403, "GET /x: 403");
    });
    const detail = "you may not list platformapplications";
    expect(await checkUninstall(cluster, "")).toEqual([{ what: "finalizers", is: "unknown", detail }]);
  });

  it("fails where the cluster does", async () => {
    const { cluster } = having(() => {
      throw new KubeError("Unreachable", 0, "GET /x: no answer");
    });
    await expect(checkUninstall(cluster, "")).rejects.toThrow("GET /x: no answer");
  });
});
