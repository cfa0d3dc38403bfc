/**
 * `make plugin`: packs dist/operator.js as the kubectl plugin, dist/kubectl-platform-<version>.tgz, which npm and Krew
 * install, and writes the manifest for Krew beside it, dist/platform.yaml. Tests give another folder than dist.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { stringify } from "yaml";
import { z } from "zod";

import { ENTRY, krewManifest, pluginPackage } from "./plugin/manifests.ts";

const root = dirname(import.meta.dirname);
const dist = process.argv[2] ?? join(root, "dist");
const folder = join(dist, "plugin");

const project = z.object({ version: z.string(), license: z.string(), engines: z.object({ node: z.string() }) });
const facts = project.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));

await rm(folder, { recursive: true, force: true });
await mkdir(folder);
for (const name of ["operator.js", "third-party-licences.txt"]) await copyFile(join(dist, name), join(folder, name));
await copyFile(join(root, "scripts/plugin", ENTRY), join(folder, ENTRY));
await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
await writeFile(join(folder, "package.json"), `${JSON.stringify(pluginPackage(facts), null, 2)}\n`);
await promisify(execFile)("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", dist], { cwd: folder });

const archive = join(dist, `kubectl-platform-${facts.version}.tgz`);
const sha256 = createHash("sha256")
  .update(await readFile(archive))
  .digest("hex");
await writeFile(join(dist, "platform.yaml"), stringify(krewManifest({ ...facts, sha256 }), { lineWidth: 120 }));
console.log(`${archive}\n${join(dist, "platform.yaml")}`);
