/** The real helm, without the user's configuration. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { parseAllDocuments, stringify } from "yaml";
import { z } from "zod";

import type { ControlPlaneFacts } from "../control-plane/control-plane.ts";
import { findGoTool } from "../tools/go-tools.ts";

const run = promisify(execFile);

/** The folder of the chart. */
export const CHART = join(import.meta.dirname, "../../helm-chart");

/** A manifest that helm rendered. */
export type Rendered = z.infer<typeof Rendered>;
export const Rendered = z
  .object({
    apiVersion: z.string(),
    kind: z.string(),
    metadata: z
      .object({
        name: z.string(),
        namespace: z.string().optional(),
        labels: z.record(z.string(), z.string()).optional(),
        annotations: z.record(z.string(), z.string()).optional(),
      })
      .catchall(z.json()),
  })
  .catchall(z.json());

/** Values that differ from the chart's own. */
export type Overrides = Readonly<Record<string, unknown>>;

export type Helm = Awaited<ReturnType<typeof openHelm>>;

/** @param at its cluster; none for `helm template` and `helm lint`. @throws Error without helm */
export async function openHelm(at?: ControlPlaneFacts) {
  const program = await findGoTool("helm");
  const env = {
    PATH: process.env["PATH"],
    HOME: at?.dir ?? "/nonexistent",
    ...(at !== undefined && { KUBECONFIG: at.kubeconfigPath }),
  };
  return {
    /** @param values for `--values -`. @returns its standard output. @throws Error with its output */
    run: async (args: readonly string[], values?: Overrides): Promise<string> => {
      const given = values === undefined ? [] : ["--values", "-"];
      const running = run(program, [...args, ...given], { env, maxBuffer: 64 * 1024 * 1024 });
      running.child.stdin?.on("error", () => {}).end(values === undefined ? "" : stringify(values));
      return (await running).stdout;
    },
  };
}

/**
 * `helm template` without a cluster, and without the CRDs, which take most of the time, unless the values set them.
 * @param args e.g. `--api-versions`. @returns the manifests as text, with hooks
 */
export async function template(
  helm: Helm,
  values: Overrides,
  { release = "platform-operator", namespace = "platform-operator", args = [] }: RenderOptions = {},
): Promise<string> {
  const all = { crds: { install: false }, ...values };
  return helm.run(["template", release, CHART, "--namespace", namespace, ...args], all);
}

/** @returns what `template` does, parsed */
export async function render(...given: Parameters<typeof template>): Promise<readonly Rendered[]> {
  return manifestsIn(await template(...given));
}

interface RenderOptions {
  readonly release?: string;
  readonly namespace?: string;
  readonly args?: readonly string[];
}

/** @returns the manifests of a YAML stream. @throws Error when it is malformed or a key occurs twice */
export function manifestsIn(text: string): readonly Rendered[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    const content: unknown = document.toJS();
    return content === null ? [] : [Rendered.parse(content)];
  });
}
