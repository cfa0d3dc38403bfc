/** deploy/kustomize: what kustomize has to know of the custom resources, tried with the kustomize of kubectl. */
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { parseAllDocuments, stringify } from "yaml";
import { z } from "zod";

import { kubectl } from "../control-plane/access.ts";
import { textOf } from "../support/examples/pages.ts";

const root = join(import.meta.dirname, "../..");
const cluster = inject("controlPlane");
const QUICKSTART = ["10-connection", "20-project", "30-environments", "40-applications", "60-binding"];

const Built = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string() }),
  spec: z.record(z.string(), z.unknown()).optional(),
});

/** A user's kustomization: a preview with a prefix, a generated Secret, and a patch that adds a variable. */
const KUSTOMIZATION = {
  resources: QUICKSTART.map((name) => `${name}.yaml`),
  namePrefix: "pr-7-",
  configurations: ["references.yaml"],
  openapi: { path: "schema.json" },
  secretGenerator: [{ name: "database", namespace: "shop", literals: ["password=not-a-password"] }],
  patches: [
    {
      patch: stringify({
        apiVersion: "platform-operator.io/v1alpha1",
        kind: "PlatformApplication",
        metadata: { name: "api", namespace: "shop" },
        spec: {
          variables: [
            { name: "DATABASE_PASSWORD", valueFrom: { secretKeyRef: { name: "database", key: "password" } } },
            { name: "FEATURE", value: "on" },
          ],
        },
      }),
    },
  ],
};

describe("a kustomization with deploy/kustomize", () => {
  let built: readonly z.infer<typeof Built>[];
  const specOf = (kind: string, name: string): unknown =>
    built.find((object) => object.kind === kind && object.metadata.name === name)?.spec;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), "kustomize-"));
    afterAll(() => rm(folder, { recursive: true, force: true }));
    for (const name of QUICKSTART)
      await writeFile(join(folder, `${name}.yaml`), textOf(`examples/quickstart/${name}.yaml`));
    for (const name of ["references.yaml", "schema.json"])
      await copyFile(join(root, "deploy/kustomize", name), join(folder, name));
    await writeFile(join(folder, "kustomization.yaml"), stringify(KUSTOMIZATION));
    built = parseAllDocuments(await kubectl(cluster, ["kustomize", folder])).map((one) => Built.parse(one.toJS()));
  });

  it("follows a prefix in the references between resources", () => {
    expect(specOf("PlatformApplication", "pr-7-api")).toMatchObject({ environmentRef: { name: "pr-7-staging" } });
    expect(specOf("PlatformEnvironment", "pr-7-staging")).toMatchObject({ projectRef: { name: "pr-7-shop" } });
  });

  it("follows a prefix in the Secret of a connection", () => {
    const auth = { tokenSecretRef: { name: "pr-7-platform-token" } };
    expect(specOf("PlatformConnection", "pr-7-default")).toMatchObject({ auth });
  });

  it("follows the hash of a generated Secret, and merges variables by their names", () => {
    const name = expect.stringMatching(/^pr-7-database-[a-z0-9]+$/) as unknown;
    expect(specOf("PlatformApplication", "pr-7-api")).toMatchObject({
      variables: [
        { name: "DATABASE_PASSWORD", valueFrom: { secretKeyRef: { name, key: "password" } } },
        { name: "FEATURE", value: "on" },
        { name: "LOG_LEVEL", value: "info" },
      ],
    });
  });

  it("leaves the name of an object on the platform as it is", () => {
    expect(specOf("PlatformApplication", "pr-7-api")).toHaveProperty("name", "api");
  });
});
