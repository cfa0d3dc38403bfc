/** Collects all output in which a secret could appear. */
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { inject } from "vitest";

import type { Env } from "../env/env.ts";
import type { Captured } from "../hostile/canaries.ts";
import { cli } from "../programs/cli.ts";

/** @param pageUrl of the status page @returns everything that users can read while the operator runs */
export async function shownBy(env: Env, pageUrl: string): Promise<Captured> {
  const { kubeconfigPath } = inject("controlPlane");
  const { metricsUrl, healthUrl } = env.operator;
  const text = async (url: string): Promise<string> => (await fetch(url)).text();
  const folder = await mkdtemp(join(tmpdir(), "report-"));
  const commands = [
    ["tree", "-o", "json"],
    ["status"],
    ["get", "-o", "yaml"],
    ["events"],
    ["check"],
    ["export"],
    ["report", "-f", join(folder, "report")],
  ];
  const said: string[] = [];
  for (const command of commands) {
    const { stdout, stderr } = await cli([...command, "--kubeconfig", kubeconfigPath, "-n", env.namespace]);
    said.push(stdout, stderr);
  }
  const files = await readdir(join(folder, "report"), { recursive: true, withFileTypes: true });
  const contents = files
    .filter((file) => file.isFile())
    .map((file) => readFile(join(file.parentPath, file.name), "utf8"));
  const report = (await Promise.all(contents)).join("\n");
  await rm(folder, { recursive: true });
  return {
    "custom resources": await env.kubectl(["get", "platform", "-o", "json"]),
    ConfigMaps: await env.kubectl(["get", "configmaps", "-o", "json"]),
    events: await env.kubectl(["get", "events.events.k8s.io", "-o", "json"]),
    "the status page": await text(`${pageUrl}/api/tree`),
    "/metrics": await text(`${metricsUrl}/metrics`),
    "/healthz": await text(`${healthUrl}/healthz`),
    "/readyz": await text(`${healthUrl}/readyz`),
    "the command line": said.join("\n"),
    "the report for support": report,
  };
}

/** @returns the kinds whose schema refers to Secrets, to read or to write them */
export function kindsWithSecrets(): readonly string[] {
  const texts = globSync(join(import.meta.dirname, "../../../crds/*.yaml")).map((file) => readFileSync(file, "utf8"));
  const found = texts.filter((text) => /\b\w*[sS]ecret\w*Ref:/.test(text));
  return found.map((text) => /^ {4}kind: (\w+)$/m.exec(text)?.[1] ?? "");
}
