import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import { kubectl } from "../control-plane/access.ts";
import { effort } from "../support/env/effort.ts";
import { createCliEnv, normalized, type CliEnv } from "./cli-env.ts";

const FORMATS = ["table", "wide", "json", "yaml", "name"] as const;

interface Golden {
  readonly name: string;
  /** In every format, and as it is when there is no -o. */
  readonly argv: (harness: CliEnv) => readonly string[];
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
  { name: "projects", argv: () => ["projects"], apart: true },
  { name: "env-stats", argv: () => ["env-stats", "shop"] },
  { name: "app-status", argv: () => ["app-status", "papp/api"], apart: true },
  { name: "ingress-status", argv: () => ["ingress-status", "application", "api"], apart: true },
  { name: "variables-list", argv: () => ["variables", "list", "api"], apart: true },
  { name: "secrets-list", argv: () => ["secrets", "list", "api"], apart: true },
  {
    name: "secrets-list-inherited",
    argv: () => ["secrets", "list", "api"],
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
  { name: "catalog", argv: () => ["catalog"] },
  {
    name: "catalog-narrowed",
    argv: () => ["catalog", "kubernetes-essentials@1.2.0", "--mode=CUSTOMER_MANAGED", "--provider=GCP"],
    formats: ["table", "yaml"],
  },
  { name: "providers", argv: () => ["providers"], formats: ["table", "wide", "name"] },
  { name: "regions", argv: () => ["regions", "aws"] },
  { name: "regions-filtered", argv: () => ["regions", "AWS", "--arm", "--country=fr"], formats: ["wide"] },
  { name: "database-types", argv: () => ["database-types"] },
  { name: "repositories", argv: () => ["repositories"] },
  { name: "credentials", argv: ({ world }) => ["credentials", "show", world.simulator.credentialsId] },
  {
    name: "default-values",
    argv: () => ["default-values", "staging", "-f", join(import.meta.dirname, "fixtures/helm-source.json")],
    formats: [],
  },
  { name: "logs", argv: () => ["logs", "api", "--tail=3"], formats: [] },
];

describe.each(["documented", "full"] as const)("what the commands print on the %s surface", (surface) => {
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

  it.each(shown)("$name", async ({ name, argv, formats = FORMATS, edited, apart }) => {
    const { faults } = user.world.simulator.sim;
    faults.clear();
    if (edited !== undefined) {
      const { operation, set } = edited;
      faults.add({ match: { operation }, answer: { is: "edited", set }, count: null });
    }
    const words = argv(user);
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
  });

  it.runIf(surface === "documented")("is a binding that the API server takes, for each template", async () => {
    const { stdout } = await user.run(["catalog", "-o", "yaml", `--cluster=${user.world.clusterIds[0]}`]);
    const args = ["apply", "--dry-run=server", "-o", "name", "-n", user.namespace, "-f", "-"];
    const applied = await kubectl(user.facts, args, { input: stdout });
    const binding = "platformbinding.platform-operator.io/kubernetes-essentials";
    expect(applied).toBe(`${binding}\n${binding}\n`);
  });
});
