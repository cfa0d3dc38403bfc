import { beforeAll, describe, expect, it } from "vitest";

import { member } from "../../src/kube/api/json.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { defaults, resource } from "../support/kube/manifests.ts";

const ALL = ["Templates", "CloudProviders", "DatabaseTypes", "GitRepositories"];

for (const surface of effort.few(["documented", "full"] as const)) {
  describe(`a whole catalog on the ${surface} surface`, () => {
    const env = createEnv({ surface });

    beforeAll(() => env.apply(...defaults(env)));

    const contentOf = async (name: string): Promise<Readonly<Record<string, unknown>>> => {
      const { data } = JSON.parse(await env.kubectl(["get", "configmap", `${name}-catalog`, "-o", "json"])) as {
        readonly data: Readonly<Record<string, string>>;
      };
      return Object.fromEntries(Object.entries(data).map(([file, text]) => [file, JSON.parse(text) as unknown]));
    };

    it("is in its ConfigMap, section by section, and its digest in the status", async () => {
      const { status } = await env.ready(resource("PlatformCatalog", "all", { include: ALL }));
      const content = await contentOf("all");
      expect(content["templates.json"]).toMatchObject({
        results: expect.arrayContaining([
          expect.objectContaining({
            key: "kubernetes-essentials",
            layers: expect.arrayContaining([
              expect.objectContaining({
                components: expect.arrayContaining([
                  expect.objectContaining({
                    fields: expect.arrayContaining([expect.objectContaining({ required: true })]),
                  }),
                ]),
              }),
            ]),
          }),
        ]),
      });
      expect(content["cloudProviders.json"]).toMatchObject({
        results: expect.arrayContaining([
          expect.objectContaining({
            regions: expect.arrayContaining([expect.objectContaining({ zones: expect.any(Array) })]),
          }),
        ]),
      });
      expect(content["databaseTypes.json"]).toMatchObject({
        results: expect.arrayContaining([{ name: "POSTGRESQL" }]),
      });
      expect(content["gitRepositories.json"]).toMatchObject({ results: expect.any(Array) });
      expect(member(status, "digest")).toMatch(/^[0-9a-f]{64}$/);
      await env.quiet(1);
    });
  });
}
