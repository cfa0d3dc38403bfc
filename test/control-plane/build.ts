import { execFile } from "node:child_process";
import { mkdir, rename } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { z } from "zod";

import { type FillJob, lookPath, type Tool } from "./tools.ts";

/** Without these the server calls itself v0.0.0-master and clients that read the version misbehave. */
const version = { git: "v1.36.3", major: "1", minor: "36" };
const ldflags = [
  "-s -w",
  `-X k8s.io/component-base/version.gitVersion=${version.git}`,
  `-X k8s.io/component-base/version.gitMajor=${version.major}`,
  `-X k8s.io/component-base/version.gitMinor=${version.minor}`,
  `-X k8s.io/client-go/pkg/version.gitVersion=${version.git}`,
].join(" ");

/** The package of each tool, and its build time in core-seconds when it is built after those above it. */
const sources: Readonly<Record<Tool, { readonly path: string; readonly coreSeconds: number }>> = {
  "kube-apiserver": { path: "k8s.io/kubernetes/cmd/kube-apiserver", coreSeconds: 460 },
  etcd: { path: "go.etcd.io/etcd/server/v3", coreSeconds: 20 },
  kubectl: { path: "k8s.io/kubernetes/cmd/kubectl", coreSeconds: 40 },
  "kube-controller-manager": { path: "k8s.io/kubernetes/cmd/kube-controller-manager", coreSeconds: 75 },
  "kube-scheduler": { path: "k8s.io/kubernetes/cmd/kube-scheduler", coreSeconds: 40 },
};

const Failed = z.object({ code: z.union([z.number(), z.string()]).nullable(), stderr: z.string() });

/**
 * Builds the tools from the Go modules that go.mod pins, each under a temporary name and then renamed.
 * Throws when there is no Go on PATH or a build fails, with the end of the compiler's words.
 */
export async function buildWithGo({ dir, tools, progress }: FillJob): Promise<void> {
  const go = await lookPath("go");
  if (go === undefined) throw new Error("no go on PATH");
  await mkdir(dir, { recursive: true });
  progress(
    `control plane: building ${tools.join(", ")} of Kubernetes ${version.git} from source, once; ` +
      `before that, up to 0.7 GB of Go modules are fetched`,
  );
  const options = {
    cwd: import.meta.dirname,
    env: { ...process.env, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "-mod=readonly" },
    maxBuffer: 64 * 1024 * 1024,
  };
  for (const [index, tool] of tools.entries()) {
    const { path, coreSeconds } = sources[tool];
    const minutes = Math.ceil(coreSeconds / availableParallelism() / 60);
    progress(`control plane: ${tool} (${index + 1} of ${tools.length}): about ${minutes} min`);
    const target = join(dir, tool);
    const args = ["build", "-trimpath", "-ldflags", ldflags, "-o", `${target}.tmp`, path];
    await promisify(execFile)(go, args, options).catch((error: unknown) => {
      const { code, stderr } = Failed.parse(error);
      throw new Error(`go build ended with ${code}:\n${stderr.trim().split("\n").slice(-20).join("\n")}`, {
        cause: error,
      });
    });
    await rename(`${target}.tmp`, target);
  }
}
