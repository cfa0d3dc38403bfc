/** deploy/argocd/console-links.yaml, evaluated by Argo CD's own code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

import type { KubeObject } from "../../src/kube/api/types.ts";
import { created, healthCases } from "../health/cases.ts";
import { runToEnd } from "../support/programs/programs.ts";
import { findArgoCd } from "../tools/argocd.ts";

const FILE = join(import.meta.dirname, "../../deploy/argocd/console-links.yaml");
const Settings = z.object({ data: z.object({ "resource.links": z.string() }) });
const links = Settings.parse(parse(readFileSync(FILE, "utf8"))).data["resource.links"];
const Outcomes = z.array(z.object({ urls: z.array(z.string()), errors: z.array(z.string()) }));

/** @returns the links that Argo CD shows for each object, and the errors that it logs */
async function linksOf(objects: readonly KubeObject[]): Promise<z.output<typeof Outcomes>> {
  const { links: program } = await findArgoCd();
  const { stdout } = await runToEnd(program, [], { input: JSON.stringify({ links, objects }) });
  return Outcomes.parse(JSON.parse(stdout));
}

const writeLedger = { identity: { organizationId: "org", parentId: "parent" } };
const recorded = (kind: string): KubeObject => ({ ...created(kind), status: { externalId: "id", writeLedger } });

describe("the links to the console", () => {
  const paths = {
    PlatformProject: "organizations/org/projects/id",
    PlatformEnvironment: "projects/parent/environments/id",
    PlatformApplication: "environments/parent/applications/id",
    PlatformDatabase: "environments/parent/databases/id",
    PlatformBlueprint: "environments/parent/blueprints/id",
    PlatformCluster: "organizations/org/clusters/id",
  };

  it("contain the ids in the status", async () => {
    expect(await linksOf(Object.keys(paths).map(recorded))).toEqual(
      Object.values(paths).map((path) => ({ urls: [`https://console.example.com/${path}`], errors: [] })),
    );
  });

  it("are omitted without an error for objects without an id and for other kinds", async () => {
    const { status: _, ...bare } = recorded("PlatformProject");
    const unfinished = [bare, { ...bare, status: { externalId: "id" } }, { ...bare, status: { writeLedger } }];
    const others = [{ ...recorded("PlatformWebhook"), kind: "ConfigMap" }];
    const outcomes = await linksOf([...unfinished, ...others, ...healthCases.map(({ object }) => object)]);
    expect(outcomes.filter(({ urls, errors }) => urls.length + errors.length > 0)).toEqual([]);
  });
});
