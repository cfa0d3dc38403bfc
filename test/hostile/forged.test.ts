/** A tenant with edit rights for the custom resources forges the operator's records. */
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { GROUP, INSTALLATION, INTENT, PAUSED } from "../../src/api/names.ts";
import { RESOURCES } from "../../src/kinds/index.ts";
import { member } from "../../src/kube/api/json.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import type { Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { existing } from "../support/env/existing.ts";
import { idOf } from "../support/env/settling.ts";
import { call } from "../support/env/simulated-platform.ts";
import {
  application,
  blueprint,
  database,
  defaults,
  environment,
  project,
  resource,
} from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";

const THEIRS = { key: "THEIRS", value: "kept" };
const LIFECYCLE = { lifecycle: { deletionPolicy: "Delete" } };

describe("a tenant who may edit the custom resources", () => {
  const env = createEnv({ surface: "full" });
  let mine: Awaited<ReturnType<typeof existing>>;
  let victim: Awaited<ReturnType<typeof existing>>;

  const asTenant = (args: readonly string[]): Promise<string> => env.kubectl([`--as=tenant-${env.namespace}`, ...args]);
  /** Creates a paused object, adds the forged intent and resumes it: the operator finds the intent like its own. */
  const forge = async (manifest: Manifest, change: JsonObject): Promise<void> => {
    const { kind, metadata } = manifest;
    await env.apply({ ...manifest, metadata: { ...metadata, annotations: { [PAUSED]: "true" } } });
    const { uid } = (await env.get(kind, metadata.name)).metadata;
    const recorded = (await env.get("PlatformApplication", "mine")).metadata.annotations ?? {};
    const key = `${kind}/${env.namespace}/${metadata.name}`;
    const owner = { uid, resource: key, installation: recorded[INSTALLATION] ?? "" };
    const raw = JSON.stringify({ v: 1, ...owner, attempt: "1", creates: true, generation: 1, mark: null, ...change });
    await asTenant(["annotate", kind.toLowerCase(), metadata.name, `${INTENT}=${raw}`, `${PAUSED}-`]);
  };

  beforeAll(async () => {
    mine = await existing(env, "mine");
    victim = await existing(env, "victim");
    const resources = RESOURCES.map(({ plural }) => `${plural}.${GROUP}`).join(",");
    const verbs = "--verb=get,list,watch,create,patch,update,delete";
    await env.kubectl(["create", "role", "tenant", verbs, `--resource=${resources}`]);
    await env.kubectl(["create", "rolebinding", "tenant", "--role=tenant", `--user=tenant-${env.namespace}`]);
    await env.ready(
      ...defaults(env, { allowedProjects: [mine.projectId], surface: "Full" }),
      project("mine", { externalId: mine.projectId }),
      environment(env, "mine", "mine", { externalId: mine.environmentId }),
      application("mine", "mine", { externalId: mine.applicationId }),
      environment(env, "spare", "mine", LIFECYCLE),
      application("spare", "mine", LIFECYCLE),
      database("spare-db", "mine", LIFECYCLE),
    );
    await env.settled();
  });

  it("[E11] cannot write the status, neither through the subresource nor together with the spec", async () => {
    const status = JSON.stringify({ status: { externalId: victim.applicationId } });
    const patch = ["patch", "platformapplication", "mine", "--type=merge", "-p", status];
    await expect(asTenant([...patch, "--subresource=status"])).rejects.toThrow(/forbidden/i);
    await asTenant(patch);
    expect(idOf(await env.get("PlatformApplication", "mine"))).toBe(mine.applicationId);
  });

  it("[E11] achieves by a forged intent nothing that the spec could not do, and deletes nothing", async ({ task }) => {
    const record = await env.record();
    const named = { name: "victim", ...LIFECYCLE };
    const inProject = { projectRef: { externalId: victim.projectId }, ...named };
    const inside = { environmentRef: { externalId: victim.environmentId }, ...named };
    const kept = { environmentRef: inside.environmentRef, name: "victim" };
    const creates = (op: string, parent?: string): JsonObject => ({
      op,
      name: "victim",
      ...(parent && { parentId: parent }),
    });
    const deploys = { creates: false, op: "deployApplication", id: victim.applicationId };
    const deep = { mark: JSON.parse(`${"[".repeat(900)}${"]".repeat(900)}`), op: 7 };
    const later = { ...creates("createApplication", mine.environmentId), v: 2 };
    const { annotations = {} } = (await env.get("PlatformApplication", "mine")).metadata;
    const copy = application("copy", "mine", { name: "mine", ...LIFECYCLE });
    await env.apply({ ...copy, metadata: { name: "copy", annotations } });
    const rows: readonly (readonly [Manifest, JsonObject, string])[] = [
      [application("moved", "mine", named), creates("createApplication", victim.environmentId), "ParentChanged"],
      [project("project", named), creates("createProject"), "PermissionDenied"],
      [environment(env, "env", "", inProject), creates("createEnvironment", victim.projectId), "PermissionDenied"],
      [application("inside", "", inside), creates("createApplication", victim.environmentId), "PermissionDenied"],
      [database("inside", "", inside), creates("createDatabase", victim.environmentId), "PermissionDenied"],
      [blueprint("inside", "", kept), creates("createBlueprint", victim.environmentId), "PermissionDenied"],
      [application("action", "mine", LIFECYCLE), deploys, "UnreadableLedger"],
      [application("later", "mine", LIFECYCLE), later, "UnreadableLedger"],
      [application("deep", "mine", LIFECYCLE), deep, "UnreadableLedger"],
    ];
    for (const [manifest, change] of rows) await forge(manifest, change);
    for (const [{ kind, metadata }, , reason] of rows) {
      const stalled = await env.stalled(kind, metadata.name, reason);
      expect(idOf(stalled), `${kind} ${metadata.name}`).toBe("");
    }
    await env.stalled("PlatformApplication", "copy", "AlreadyManaged");
    const all = [copy, ...rows.map(([manifest]) => manifest)];
    await env.delete(...all);
    expect(record.changes()).toEqual([]);
    const { projects, environments, services } = env.platform.world();
    const { projectId, environmentId, applicationId } = victim;
    expect([...projects.keys()]).toContain(projectId);
    expect([...environments.keys()]).toContain(environmentId);
    expect([...services.keys()]).toContain(applicationId);
    figure(task, `0 changes by ${String(all.length)} forged records`, all.length);
  });

  it("[E11] changes, stops and deletes no object of others by a forged status, if statuses were writable by mistake", async () => {
    const record = await env.record();
    const forgeries = [
      ["PlatformApplication", "spare", victim.applicationId],
      ["PlatformEnvironment", "spare", victim.environmentId],
      ["PlatformDatabase", "spare-db", victim.applicationId],
    ] as const;
    for (const [kind, name, externalId] of forgeries) await env.patch(kind, name, { status: { externalId } }, "status");
    await env.patch("PlatformApplication", "spare", { spec: { runState: "Stopped", cpu: 500 } });
    for (const [kind, name] of forgeries) await env.waitFor(kind, name, { type: "Stalled", status: "True" });
    await env.stalled("PlatformApplication", "spare", "NotObservable", "does not show that the application");
    await env.delete(...forgeries.map(([kind, name]) => ({ kind, metadata: { name } })));
    expect(record.changes()).toEqual([]);
    const { services, environments } = env.platform.world();
    expect([...services.keys()]).toContain(victim.applicationId);
    expect([...environments.keys()]).toContain(victim.environmentId);
  });

  it("[E11] removes no variable of others by a forged status of a variable set", async () => {
    const path = `/application/${victim.applicationId}/environmentVariable`;
    const { id } = z.object({ id: z.string() }).parse((await call(env.platform, `POST ${path}`, THEIRS)).body);
    const spec = { targets: [{ applicationRef: { name: "mine" } }], variables: [{ name: "OURS", value: "1" }] };
    const set = await env.ready(resource("PlatformVariableSet", "spare-set", { ...spec, ...LIFECYCLE }));
    // The operator deploys the application with the set.
    await env.settled();
    const record = await env.record();
    const [own] = (member(set.status, "targets") ?? []) as readonly JsonObject[];
    const variables = [{ key: THEIRS.key, id, created: true }];
    const forged = { ...own, applicationId: victim.applicationId, name: "victim", variables };
    await env.patch("PlatformVariableSet", "spare-set", { status: { targets: [forged] } }, "status");
    await env.delete(set);
    expect(record.changes()).toEqual([]);
    expect(env.platform.world().variables.get(id)?.value).toBe(THEIRS.value);
  });
});
