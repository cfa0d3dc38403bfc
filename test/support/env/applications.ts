import { expect } from "vitest";

import { editRecord } from "../../../simulator/control/records.ts";
import type { Service } from "../../../simulator/model/world.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../../src/kube/api/types.ts";
import { condition, type Manifest } from "./cluster.ts";
import type { Stage } from "./env.ts";

/** Applications in the environment "staging" of a stage, and what they are on the platform. */
export interface StagedApplications {
  /** Connection, project and environment of the quickstart, Ready. */
  ground(): Promise<void>;
  /** Applies an application and waits until `commit`, when there is one, is deployed. */
  deploy(name: string, commit: string | undefined, spec?: JsonObject): Promise<KubeObject>;
  /** Merges members into a spec. */
  change(name: string, spec: JsonObject): Promise<void>;
  /** The record of its service on the platform. */
  service(name: string): Promise<Service>;
  /** Edits that record as somebody else would. */
  edit(name: string, members: Readonly<Record<string, unknown>>): Promise<void>;
  /** Waits until Ready is so for the current generation. */
  ready(name: string, status: "True" | "False" | "Unknown", reason: string): Promise<KubeObject>;
  /** Waits until the commit is deployed and Ready, by another deployment than the one of `before`, if given. */
  deployed(name: string, commit: string, before?: KubeObject): Promise<KubeObject>;
}

const KIND = "PlatformApplication";
const GROUND: ReadonlySet<string> = new Set(["Secret", "PlatformConnection", "PlatformProject", "PlatformEnvironment"]);

/** @returns an application in "staging" that deploys the commit, if one is given. */
export function application(name: string, commit: string | undefined, spec: JsonObject = {}): Manifest {
  return {
    apiVersion: "platform-operator.io/v1alpha1",
    kind: KIND,
    metadata: { name },
    spec: {
      environmentRef: { name: "staging" },
      name,
      gitRepository: { url: `https://github.com/acme/${name}.git`, branch: "main" },
      buildMode: "DOCKER",
      ...(commit !== undefined && { deploy: { gitCommitId: commit } }),
      ...spec,
    },
  };
}

/** @returns a member of status.lastDeployment. */
export function lastDeployment(object: KubeObject, key: string): unknown {
  return member(member(object.status, "lastDeployment"), key);
}

/** @returns the applications of a stage; nothing is there before `ground()`. */
export function stagedApplications(stage: Stage): StagedApplications {
  const ready: StagedApplications["ready"] = async (name, status, reason) =>
    stage.waitFor(KIND, name, { status, reason });

  const deployed: StagedApplications["deployed"] = async (name, commit, before) => {
    const old = before && lastDeployment(before, "startedAt");
    return stage.waitFor(KIND, name, (object) => {
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

  const service: StagedApplications["service"] = async (name) => {
    const id = member((await stage.get(KIND, name)).status, "externalId");
    return stage.platform.world().services.get(typeof id === "string" ? id : "") ?? expect.fail(`no service ${name}`);
  };

  return {
    ground: async () => {
      const wanted = stage
        .quickstart()
        .filter(({ kind, metadata }) => GROUND.has(kind) && !["production", "dns", "api"].includes(metadata.name));
      await stage.apply(...wanted);
      await stage.waitFor("PlatformEnvironment", "staging", { status: "True" });
      const found = stage.platform.sim.settings.surface === "full" ? "Full" : "Documented";
      await stage.waitFor("PlatformConnection", "default", ({ status }) => member(status, "surface") === found);
      await stage.settled();
    },
    deploy: async (name, commit, spec) => {
      await stage.apply(application(name, commit, spec));
      return commit === undefined ? stage.waitFor(KIND, name, { status: "True" }) : deployed(name, commit);
    },
    change: async (name, spec) => stage.patch(KIND, name, { spec }),
    service,
    edit: async (name, members) => {
      editRecord(stage.platform.sim, (await service(name)).id, members);
    },
    ready,
    deployed,
  };
}
