import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import { kubectl } from "../control-plane/access.ts";
import { effort } from "../support/env/effort.ts";
import { createCliEnv, normalized } from "./cli-env.ts";

const FORMATS = ["table", "wide", "json", "yaml", "name"] as const;

interface Golden {
  readonly name: string;
  /** Where ID is that of credentials. */
  readonly line: string;
  /** By default every one; none where there is no -o. */
  readonly formats?: readonly string[];
  /** What the platform says of its first result besides. */
  readonly edited?: { readonly operation: string; readonly set: Readonly<Record<string, unknown>> };
  /** The surfaces say different things. */
  readonly apart?: true;
}

const OTHER_SECRET = {
  id: "00000000-0000-4000-8000-00000000000a",
  mount_path: "/run/secret",
  description: "of the environment",
  enable_interpolation_in_file: true,
};

const GOLDEN: readonly Golden[] = [
  { name: "projects", line: "projects", apart: true },
  { name: "env-stats", line: "env-stats shop" },
  { name: "app-status", line: "app-status papp/api", apart: true },
  { name: "ingress-status", line: "ingress-status application api", apart: true },
  { name: "variables-list", line: "variables list api", apart: true },
  { name: "secrets-list", line: "secrets list api", apart: true },
  {
    name: "secrets-list-inherited",
    line: "secrets list api",
    edited: {
      operation: "listApplicationSecrets",
      set: {
        "results.0.owned_by": "acme",
        "results.0.service_name": "api",
        "results.0.overridden_secret": { ...OTHER_SECRET, key: "SHARED_API_KEY" },
        "results.0.aliased_secret": { ...OTHER_SECRET, key: "ORIGINAL_API_KEY", value: "top-secret-value" },
      },
    },
    apart: true,
  },
  { name: "catalog", line: "catalog" },
  {
    name: "catalog-narrowed",
    line: "catalog kubernetes-essentials@1.2.0 --mode=CUSTOMER_MANAGED --provider=GCP",
    formats: ["table", "yaml"],
  },
  { name: "providers", line: "providers", formats: ["table", "wide", "name"] },
  { name: "regions", line: "regions aws" },
  { name: "regions-filtered", line: "regions AWS --arm --country=fr", formats: ["wide"] },
  { name: "database-types", line: "database-types" },
  { name: "repositories", line: "repositories" },
  { name: "credentials", line: "credentials show ID" },
  { name: "default-values", line: "default-values staging -f fixtures/helm-source.json", formats: [] },
  { name: "logs", line: "logs api --tail=3", formats: [] },
];

describe.each(["documented", "full"] as const)("the output of commands, %s surface", (surface) => {
  const user = createCliEnv(surface);

  beforeAll(async () => {
    const { admin, applicationId, members } = user.world;
    const scoped = members().extended && { scope: "APPLICATION" };
    await admin.variables.import(applicationId, {
      overwrite: false,
      vars: [
        { name: "LOG_LEVEL", value: "debug", isSecret: false, ...scoped },
        { name: "API_KEY", value: "top-secret-value", isSecret: true, ...scoped },
      ],
    });
  });

  // What does not depend on the surface, on one of them; on both in `make chaos`.
  const shown = GOLDEN.filter(({ apart }) => effort.all || apart === true || surface === "documented");

  it.each(shown)(
    "of $line is that of its file in fixtures/cli",
    async ({ name, line, formats = FORMATS, edited, apart }) => {
      const { faults } = user.world.simulator.sim;
      faults.clear();
      if (edited !== undefined) {
        const { operation, set } = edited;
        faults.add({ match: { operation }, answer: { is: "edited", set }, count: null });
      }
      const given = line.replace("ID", user.world.simulator.credentialsId).split(" ");
      const words = given.map((word) => word.replace(/^fixtures\b/, join(import.meta.dirname, "fixtures")));
      const printed: string[] = [];
      for (const flags of formats.length === 0 ? [[]] : formats.map((format) => ["-o", format])) {
        const { code, stdout, stderr } = await user.run([...words, ...flags]);
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        expect(stdout).not.toContain("top-secret-value");
        const named = words.map((word) => word.replace(/^.*\/fixtures\//, ""));
        printed.push(`$ ${["kubectl platform", ...named, ...flags].join(" ")}\n${stdout}`);
      }
      const file = join(import.meta.dirname, `fixtures/cli/${name}${apart === true ? `.${surface}` : ""}.txt`);
      await expect(normalized(printed.join("\n"))).toMatchFileSnapshot(file);
    },
  );

  it.runIf(surface === "documented")("of the catalog has valid PlatformBindings for its templates", async () => {
    const { stdout } = await user.run(["catalog", "-o", "yaml", `--cluster=${user.world.clusterIds[0]}`]);
    const args = ["apply", "--dry-run=server", "-o", "name", "-n", user.namespace, "-f", "-"];
    const applied = await kubectl(user.facts, args, { input: stdout });
    const binding = "platformbinding.platform-operator.io/kubernetes-essentials";
    expect(applied).toBe(`${binding}\n${binding}\n`);
  });
});
