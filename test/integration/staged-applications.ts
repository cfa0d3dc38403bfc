import { expect } from "vitest";

import { editRecord } from "../../simulator/control/records.ts";
import type { Service } from "../../simulator/model/world.ts";
import { member } from "../../src/kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { condition } from "../support/env/cluster.ts";
import type { Env } from "../support/env/env.ts";
import { application } from "../support/kube/manifests.ts";

const KIND = "PlatformApplication";

export function lastDeployment(object: KubeObject, key: string): unknown {
  return member(member(object.status, "lastDeployment"), key);
}

/** Applications in the environment "staging", and their records on the platform; call `fixture` first. */
export function stagedApplications(env: Env) {
  const deployed = async (name: string, commit: string, before?: KubeObject): Promise<KubeObject> => {
    const old = before && lastDeployment(before, "startedAt");
    return env.waitFor(KIND, name, (object) => {
      const current = condition(object, "Ready");
      return (
        current?.status === "True" &&
        current.observedGeneration === object.metadata.generation &&
        lastDeployment(object, "gitCommitId") === commit &&
        lastDeployment(object, "finishedAt") !== undefined &&
        lastDeployment(object, "startedAt") !== old
      );
    });
  };

  const service = async (name: string): Promise<Service> => {
    const id = member((await env.get(KIND, name)).status, "externalId");
    return env.platform.world().services.get(typeof id === "string" ? id : "") ?? expect.fail(`no service ${name}`);
  };

  return {
    /** Applies an application and waits until the commit is deployed. */
    deploy: async (name: string, gitCommitId: string, spec?: JsonObject): Promise<KubeObject> => {
      await env.apply(application(name, "staging", { deploy: { gitCommitId }, ...spec }));
      return deployed(name, gitCommitId);
    },
    change: async (name: string, spec: JsonObject): Promise<void> => env.patch(KIND, name, { spec }),
    service,
    edit: async (name: string, members: Readonly<Record<string, unknown>>): Promise<void> => {
      editRecord(env.platform.sim, (await service(name)).id, members);
    },
    ready: async (name: string, status: "True" | "False" | "Unknown", reason: string): Promise<KubeObject> =>
      env.waitFor(KIND, name, { status, reason }),
    /** Waits until the commit is deployed and Ready; with `before`, by another deployment than that one's. */
    deployed,
  };
}
