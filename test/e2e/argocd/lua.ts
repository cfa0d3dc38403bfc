/** Runs our scripts with Argo CD's own command, with deploy/argocd/argocd-cm.yaml as its settings. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { parse } from "yaml";

import type { KubeObject } from "../../../src/kube/api/types.ts";
import { findArgoCd } from "../../tools/argocd.ts";
import { newFolder } from "../folder.ts";

const SETTINGS = join(import.meta.dirname, "../../../deploy/argocd/argocd-cm.yaml");

/** Call it at the top of a file. @param settings path of the ConfigMap argocd-cm. @throws Error without Argo CD */
export async function startLuaEnv(settings = SETTINGS) {
  const { command } = await findArgoCd();
  const dir = await newFolder("argocd-lua");
  let count = 0;

  const run = async (verb: string, object: KubeObject, ...args: readonly string[]): Promise<string> => {
    count += 1;
    const file = join(dir, `${count}.json`);
    await writeFile(file, JSON.stringify(object));
    const all = ["admin", "settings", "resource-overrides", verb, file, ...args, "--argocd-cm-path", settings];
    const env = {
      PATH: process.env["PATH"],
      HOME: dir,
      TMPDIR: dir,
      // Prints both objects whole, each under its name, instead of a diff.
      KUBECTL_EXTERNAL_DIFF: "tail -v -n +1",
    };
    const { stdout } = await promisify(execFile)(command, all, { env, maxBuffer: 16 * 1024 * 1024 });
    return stdout;
  };

  return {
    /** `argocd admin settings resource-overrides health`. */
    health: async (object: KubeObject) => {
      const found = /^STATUS: (?<status>\w+)\nMESSAGE: (?<message>[^]*)\n$/.exec(await run("health", object));
      const { status = "", message = "" } = found?.groups ?? {};
      return { status, message };
    },
    /** `… list-actions`: the actions and whether they are disabled. */
    actions: async (object: KubeObject): Promise<Readonly<Record<string, boolean>>> => {
      const [, ...rows] = (await run("list-actions", object)).trim().split("\n");
      return Object.fromEntries(
        rows.map((row) => row.split(/\s+/)).map(([name = "", disabled]) => [name, disabled === "true"]),
      );
    },
    /** `… run-action`: the objects that it changed or created. */
    act: async (object: KubeObject, action: string): Promise<readonly unknown[]> => {
      const output = await run("run-action", object, action);
      const created = output.split("Following resource was created:\n").slice(1);
      // The object before, then after.
      const changed = output.split(/^==> .* <==\n/m).slice(2);
      return [...created, ...changed].map((text): unknown => parse(text));
    },
  };
}
