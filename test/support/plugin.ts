/** The built bundle as kubectl finds it: a real kubectl that starts a real `kubectl-platform` from its PATH. */
import { execFile } from "node:child_process";
import { chmod, mkdtemp, symlink } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

import type { ControlPlaneFacts } from "../control-plane/control-plane.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const tools = join(root, "node_modules/.bin");

export interface Plugin {
  /** Runs kubectl with the plugin on its PATH. @returns its output and exit code, whatever that is */
  kubectl(args: readonly string[], options?: { readonly input?: string }): Promise<Ran>;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Builds the bundle into a folder of the control plane's, which goes with it, and links it under the plugin's names. */
export async function buildPlugin(facts: ControlPlaneFacts): Promise<Plugin> {
  const folder = await mkdtemp(join(facts.dir, "plugin-"));
  const bundle = join(folder, "main.js");
  await run(join(tools, "rolldown"), ["--config", join(root, "rolldown.config.ts"), "--file", bundle], { cwd: root });
  await chmod(bundle, 0o755);
  for (const name of ["kubectl-platform", "kubectl_complete-platform"]) await symlink(bundle, join(folder, name));
  const path = [folder, dirname(process.execPath), dirname(facts.kubectlPath), "/usr/bin", "/bin"].join(delimiter);
  return {
    kubectl: async (args, { input = "" } = {}) => {
      const running = run(facts.kubectlPath, args, {
        env: { PATH: path, HOME: folder, KUBECONFIG: facts.kubeconfigPath },
        maxBuffer: 64 * 1024 * 1024,
      });
      running.child.stdin?.on("error", () => {}).end(input);
      return await running.then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        (error: { readonly code?: number; readonly stdout?: string; readonly stderr?: string }) => ({
          code: error.code ?? 1,
          stdout: error.stdout ?? "",
          stderr: error.stderr ?? "",
        }),
      );
    },
  };
}
