/** What `make e2e-kind` applies, where there is no Docker: the parts fit together, and the simulated platform starts. */
import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

import { IMAGES, quickstartManifests, simulatorManifests, VALUES } from "../../scripts/e2e-kind/objects.ts";
import { main } from "../../simulator/main.ts";

const Deployment = z.object({
  kind: z.literal("Deployment"),
  spec: z.object({
    template: z.object({
      spec: z.object({ containers: z.tuple([z.object({ image: z.string(), args: z.array(z.string()) })]) }),
    }),
  }),
});
const Service = z.object({
  kind: z.literal("Service"),
  metadata: z.object({ name: z.string(), namespace: z.string() }),
  spec: z.object({ ports: z.tuple([z.object({ port: z.number() })]) }),
});
const Connection = z.object({
  kind: z.literal("PlatformConnection"),
  spec: z.object({ baseUrl: z.string(), organizationId: z.string() }),
});

const simulator = simulatorManifests();
const {
  spec: {
    template: {
      spec: {
        containers: [container],
      },
    },
  },
} = only(Deployment, simulator);
const manifests = quickstartManifests();
const documents = parseAllDocuments(manifests).map((document) => document.toJS() as unknown);
const { baseUrl, organizationId } = only(Connection, documents).spec;

/** @returns the one of a kind */
function only<T>(kind: z.ZodType<T>, all: readonly unknown[]): T {
  const [one] = all.flatMap((each) => {
    const { success, data } = kind.safeParse(each);
    return success ? [data] : [];
  });
  if (one === undefined) throw new Error("there is none of this kind");
  return one;
}

it("make e2e-kind: the connection of the quickstart names the Service of the simulated platform", () => {
  const { metadata, spec } = only(Service, simulator);
  const host = `${metadata.name}.${metadata.namespace}.svc.cluster.local`;
  expect(baseUrl).toBe(`http://${host}:${spec.ports[0].port}`);
});

it("make e2e-kind: the operator may reach that Service, by http and in the cluster", () => {
  const { hostname } = new URL(baseUrl);
  expect(VALUES.operator).toEqual({ allowInsecurePlatform: true, allowedPlatformHosts: [hostname] });
});

it("make e2e-kind: the nodes get the images of both Deployments", () => {
  const { registry, repository, tag } = VALUES.image;
  expect(IMAGES).toEqual([`${registry}/${repository}:${tag}`, container.image]);
});

it("make e2e-kind: the simulated platform has the organization, the cluster and the token of the quickstart", async () => {
  let out = "";
  const local = ["--host=127.0.0.1", "--port=0"];
  const printed = { stdout: (text: string) => (out += text), stderr: (text: string) => (out += text) };
  const ended = main([...container.args, ...local], printed);
  await expect.poll(() => out).toContain("token admin");
  process.emit("SIGTERM");
  await ended;
  const value = (name: string): string => new RegExp(`^${name} +(\\S+)$`, "m").exec(out)?.[1] ?? `no ${name}`;
  expect(value("organization")).toBe(organizationId);
  expect(manifests).toContain(value("cluster"));
  expect(manifests).toContain(value("token admin"));
});
