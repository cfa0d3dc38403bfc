/** The package of the kubectl plugin, as `make plugin` packs it and npm installs it. */
import { execFile } from "node:child_process";
import { cp, mkdir, readdir } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

import { beforeAll, expect, inject, it } from "vitest";

import { OPERATOR_VERSION } from "../../src/config/names.ts";
import { nodeRefusal } from "../../src/node-version.ts";
import { findBinaries } from "../control-plane/binaries.ts";
import { newFolder } from "./folder.ts";
import { type Shell, type } from "./shell.ts";

const run = promisify(execFile);
const folder = await newFolder("plugin");
const dist = join(folder, "dist");
const bin = join(folder, "npm/bin");
let user: Shell;

beforeAll(async () => {
  await cp(dirname(inject("program")), dist, { recursive: true });
  await run(process.execPath, [join(import.meta.dirname, "../../scripts/plugin.ts"), dist]);
  const home = join(folder, "home");
  await mkdir(home);
  const { kubectl } = await findBinaries();
  const path = [bin, dirname(kubectl), dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter);
  user = { cwd: home, env: { PATH: path, HOME: home } };
  const archive = join(dist, `kubectl-platform-${OPERATOR_VERSION}.tgz`);
  await type(`npm install --global --offline --prefix ${join(folder, "npm")} ${archive}`, user);
});

it("the plugin that npm installs is found by kubectl and needs no other package", async () => {
  expect(await type("kubectl platform --version", user)).toBe(`${OPERATOR_VERSION}\n`);
  expect(await type("kubectl __complete platform hist", user)).toMatch(/^history\t/);
  expect(await readdir(join(folder, "npm/lib/node_modules"))).toEqual(["kubectl-platform"]);
});

it("the plugin that npm installs keeps the compiled bundle in the user's cache", async () => {
  expect(await readdir(join(folder, "home/.cache/kubectl-platform"))).not.toEqual([]);
});

it("the plugin that npm installs says on an older Node which version it needs", async () => {
  const { file, flags, version } = await olderNode();
  const refused = run(file, [...flags, join(bin, "kubectl-platform"), "--version"], { env: {} });
  await expect(refused).rejects.toMatchObject({ code: 1, stdout: "", stderr: nodeRefusal(version, file) });
});

/** @returns the older Node of this machine, else this one under an older version */
async function olderNode() {
  for (const dir of (process.env["PATH"] ?? "").split(delimiter)) {
    const found = await run(join(dir, "node"), ["-p", "process.versions.node + ' ' + process.execPath"]).catch(
      () => {},
    );
    const [version = "", file = ""] = found?.stdout.trim().split(" ") ?? [];
    if (found !== undefined && nodeRefusal(version, file) !== undefined) return { file, flags: [], version };
  }
  const version = "20.20.2";
  const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`;
  const flags = ["--import", `data:text/javascript,${encodeURIComponent(older)}`];
  return { file: process.execPath, flags, version };
}
