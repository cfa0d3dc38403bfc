/** Argo CD: one program, built from the module that test/argocd/go.mod pins, and the CRDs of the same version. */
import { copyFile, mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";

import { findGoProgram } from "./go-program.ts";

const PATH = "github.com/argoproj/argo-cd/v3";
/** The version that it reports; go.mod selects the version that is built. */
const VERSION = "3.2.6";

export type ArgoCd = Awaited<ReturnType<typeof findArgoCd>>;

/**
 * @returns Argo CD's programs. One on PATH is not used: programs and CRDs must have the same version.
 * @throws Error with what is missing (Go) or how the build failed
 */
export async function findArgoCd() {
  const folder = await findGoProgram({
    name: "argocd",
    module: "argocd",
    package: `${PATH}/cmd`,
    ldflags: `-s -w -X ${PATH}/common.version=${VERSION}`,
    coldSeconds: 210,
    addFiles: async (into, go) => {
      const module = (await go(["list", "-m", "-f", "{{.Dir}}", PATH])).trim();
      await copyCrds(join(module, "manifests/crds"), join(into, "crds"));
      await go(["build", "-trimpath", "-ldflags", "-s -w", "-o", join(into, "links"), "."]);
      // The name by which the program is called selects its role.
      for (const role of ["argocd-application-controller", "argocd-repo-server"]) {
        await symlink("argocd", join(into, role));
      }
    },
  });
  return {
    /** The command `argocd`. */
    command: join(folder, "argocd"),
    controller: join(folder, "argocd-application-controller"),
    repoServer: join(folder, "argocd-repo-server"),
    /** Reads deep links and objects as JSON, and evaluates the links with Argo CD's own code (test/argocd/main.go). */
    links: join(folder, "links"),
    /** The folder with the CRDs of Application, ApplicationSet and AppProject. */
    crds: join(folder, "crds"),
  };
}

async function copyCrds(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const file of await readdir(from)) {
    if (file.endsWith("-crd.yaml")) await copyFile(join(from, file), join(to, file));
  }
}
