/**
 * `make plugin`: packs dist/plugin as dist/kubectl-platform-<version>.tgz, which npm and Krew install, and writes the
 * manifest for Krew beside it, dist/platform.yaml. Tests give another folder than dist.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { stringify } from "yaml";
import { z } from "zod";

interface Facts {
  readonly version: string;
  readonly license: string;
  readonly engines: { readonly node: string };
}

/** The program; its modules are beside it. */
export const ENTRY = "kubectl-platform.cjs";

const HOME = "https://github.com/platform-operator/platform-operator";
const ABOUT = "Show, plan and adopt what the platform operator manages";

/** @returns the package.json of the plugin, without dependencies: the bundle contains them */
export function pluginPackage({ version, license, engines }: Facts): object {
  return {
    name: "kubectl-platform",
    version,
    description: ABOUT,
    license,
    homepage: HOME,
    type: "module",
    engines,
    bin: { "kubectl-platform": ENTRY, "kubectl_complete-platform": ENTRY },
    files: [ENTRY, "*.mjs", "LICENSE", "third-party-licences.txt"],
  };
}

/** @returns the plugin manifest of Krew. @param facts `sha256` is that of npm's archive, an asset of the release */
export function krewManifest({ version, engines, sha256 }: Facts & { readonly sha256: string }): object {
  return {
    apiVersion: "krew.googlecontainertools.github.com/v1alpha2",
    kind: "Plugin",
    metadata: { name: "platform" },
    spec: {
      version: `v${version}`,
      homepage: HOME,
      shortDescription: ABOUT,
      description:
        "Shows the platform's objects and their state, what applying a file would change, and adopts what exists.",
      caveats: `Needs kubectl and Node ${engines.node} on the PATH.`,
      platforms: [
        {
          selector: { matchExpressions: [{ key: "os", operator: "In", values: ["linux", "darwin"] }] },
          uri: `${HOME}/releases/download/v${version}/kubectl-platform-${version}.tgz`,
          sha256,
          bin: ENTRY,
          files: [{ from: "package/*", to: "." }],
        },
      ],
    },
  };
}

async function main(): Promise<void> {
  const root = dirname(import.meta.dirname);
  const dist = process.argv[2] ?? join(root, "dist");
  const folder = join(dist, "plugin");

  const project = z.object({ version: z.string(), license: z.string(), engines: z.object({ node: z.string() }) });
  const facts = project.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));

  await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
  await writeFile(join(folder, "package.json"), `${JSON.stringify(pluginPackage(facts), null, 2)}\n`);
  await promisify(execFile)("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", dist], {
    cwd: folder,
  });

  const archive = join(dist, `kubectl-platform-${facts.version}.tgz`);
  const sha256 = createHash("sha256")
    .update(await readFile(archive))
    .digest("hex");
  await writeFile(join(dist, "platform.yaml"), stringify(krewManifest({ ...facts, sha256 }), { lineWidth: 120 }));
  console.log(`${archive}\n${join(dist, "platform.yaml")}`);
}

if (import.meta.main) await main();
