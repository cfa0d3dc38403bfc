/**
 * The Dockerfile: builds it on bases of this machine, pushes it as in README, inspects and starts it. `make
 * image-check`.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";

import { imageFacts } from "../../scripts/build-image.ts";
import { COMMAND, NODE, PROGRAM, USER } from "../../scripts/image.ts";
import { figure } from "../support/platform/figure.ts";
import type { Ended } from "../support/programs/cli.ts";
import { runToEnd } from "../support/programs/programs.ts";
import { newFolder } from "./folder.ts";
import { type Buildah, openBuildah, runAsChild } from "./image/buildah.ts";
import {
  makeBuildBase,
  makeRuntimeBase,
  NPM_CACHE,
  npmConfig,
  type NpmConfig,
  writeNpmrc,
} from "./image/local-bases.ts";
import { type Registry, startRegistry } from "./image/registry.ts";

type ImageFile = Awaited<ReturnType<typeof filesOf>>[number];

/** @returns everything below the folder, sorted by its path from there: permission bits, owner, seconds since 1970 */
async function filesOf(folder: string) {
  const { stdout } = await runToEnd("find", [folder, "-mindepth", "1", "-printf", "%y %s %m %U %T@ /%P\\n"]);
  const files = stdout
    .trim()
    .split("\n")
    .map((line) => {
      const [type = "", size, mode = "", owner, changed, ...path] = line.split(" ");
      const kind = type === "f" ? "file" : type === "d" ? "folder" : "other";
      const numbers = { size: Number(size), mode: Number.parseInt(mode, 8), owner: Number(owner) };
      return { path: path.join(" "), kind, ...numbers, changed: Math.floor(Number(changed)) };
    });
  return files.toSorted((left, right) => (left.path < right.path ? -1 : 1));
}

const root = join(import.meta.dirname, "../..");
const EPOCH = 1_700_000_000;
/** A token in the .npmrc of the build, which the image must not contain. */
const CANARY = "npm_canaryCanaryCanaryCanaryCanary00";
const MOST_BYTES = 150e6;

const Inspected = z.object({
  OCIv1: z.object({
    created: z.string(),
    config: z.object({
      User: z.string(),
      Env: z.array(z.string()),
      Entrypoint: z.array(z.string()),
      Labels: z.record(z.string(), z.string()),
    }),
  }),
});

/** The part of a manifest that names the image, in OCI's and in Docker's own format. */
const Manifest = z.object({ config: z.object({ digest: z.string() }) });

const dir = await newFolder("image");
let registry: Registry;
let buildah: Buildah;
let npm: NpmConfig;
/** The image's name with registry and tag. */
let image = "";
/** The root file system of the image. */
let mounted = "";
let files: readonly ImageFile[] = [];
/** Those that the base does not have. */
let own: readonly ImageFile[] = [];

async function makeBase(name: string, fill: (folder: string) => Promise<void>): Promise<void> {
  const folder = join(dir, name);
  await mkdir(folder);
  await fill(folder);
  await writeFile(join(dir, `${name}.Dockerfile`), "FROM scratch\nCOPY . /\n");
  await buildah.run("build", "--quiet", `--tag=localhost/${name}`, `--file=${dir}/${name}.Dockerfile`, folder);
}

/** Runs README's command with another registry. @returns the image's name */
async function build(): Promise<string> {
  const [line = ""] = /^make image .*$/m.exec(await readFile(join(root, "README.md"), "utf8")) ?? [];
  const command = line.replace("registry.example.com", registry.host);
  const { code, stdout, stderr } = await runAsChild("/bin/bash", ["-c", `cd '${root}' && ${command}`], {
    ...buildah.env,
    BUILD_IMAGE: "localhost/build",
    RUNTIME_IMAGE: "localhost/runtime",
    NPMRC: join(dir, "npmrc"),
    SOURCE_DATE_EPOCH: String(EPOCH),
    // Not those of a make that runs these tests.
    MAKEFLAGS: "",
    MAKELEVEL: "",
  });
  const lines = `${stdout}${stderr}`.trim().split("\n");
  if (code !== 0) throw new Error(`${command} failed: ${lines.slice(-15).join("\n")}`);
  return stdout.trim().split("\n").at(-1) ?? "";
}

/** @returns a new container's id and its root file system */
async function open(image: string): Promise<readonly [string, string]> {
  const container = (await buildah.run("from", "--pull-never", image)).trim();
  return [container, (await buildah.run("mount", container)).trim()];
}

async function inspected(): Promise<z.infer<typeof Inspected>["OCIv1"]> {
  return Inspected.parse(JSON.parse(await buildah.run("inspect", "--type=image", image))).OCIv1;
}

/** Starts the image's entry point in a new container. */
async function runInContainer(...args: readonly string[]): Promise<Ended> {
  const { config } = await inspected();
  const [container] = await open(image);
  return buildah.attempt("run", container, "--", ...config.Entrypoint, ...args);
}

/** Starts the image's entry point as its user, with the image's files as a read-only root. */
async function runReadOnly(...args: readonly string[]): Promise<Ended> {
  const { config } = await inspected();
  const script = `mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec env -i ${config.Env.join(" ")} /usr/sbin/chroot --userspec=${config.User} "$0" "$@"`;
  return runAsChild("/usr/bin/unshare", ["--mount", "/bin/sh", "-ec", script, mounted, ...config.Entrypoint, ...args]);
}

beforeAll(async () => {
  npm = await npmConfig();
  registry = await startRegistry(dir);
  buildah = await openBuildah(dir, { volumes: [`${npm.cache}:${NPM_CACHE}`], registry: registry.host });
  await writeNpmrc(join(dir, "npmrc"), npm, [`//registry.example.invalid/:_authToken=${CANARY}`]);
  await makeBase("runtime", makeRuntimeBase);
  await makeBase("build", (folder) => makeBuildBase(folder, npm));
  image = await build();
  mounted = (await open(image))[1];
  files = await filesOf(mounted);
  const base = new Set((await filesOf((await open("localhost/runtime"))[1])).map(({ path }) => path));
  own = files.filter(({ path, kind }) => !base.has(path) && kind !== "folder");
});
afterAll(async () => {
  await registry?.stop();
  await buildah?.close();
});

describe("the image", () => {
  it("is in the registry under the given name", async () => {
    expect(image).toBe(`${registry.host}/platform-operator:0.1.0`);
    const { config } = Manifest.parse(await registry.get("platform-operator/manifests/0.1.0"));
    expect(await registry.get(`platform-operator/blobs/${config.digest}`)).toMatchObject({
      config: { Entrypoint: [...COMMAND], Cmd: ["run"], User: `${USER}:${USER}` },
    });
    const pulled = await buildah.run("pull", "--policy=always", "--quiet", image);
    expect(`sha256:${pulled.trim()}`).toBe(config.digest);
  });

  it("contains Node, the bundle and the licences besides its base", ({ task }) => {
    expect(own.map(({ path }) => path)).toEqual([
      PROGRAM,
      "/licenses/LICENSE",
      "/licenses/node.txt",
      "/licenses/third-party.txt",
      NODE,
    ]);
    const bytes = own.reduce((sum, { size }) => sum + size, 0);
    expect(bytes).toBeLessThan(MOST_BYTES);
    const bundle = own.find(({ path }) => path === PROGRAM)?.size ?? 0;
    figure(task, `${Math.round(bytes / 1e6)} MB besides the base, ${(bundle / 1e6).toFixed(1)} MB of it the bundle`);
  });

  it("has the licences of its content", async () => {
    const text = (name: string): Promise<string> => readFile(join(mounted, "licenses", name), "utf8");
    expect(await text("node.txt")).toMatch(/^Node\.js is licensed for use as follows:/);
    expect(await text("third-party.txt")).toBe(
      await readFile(join(dirname(inject("program")), "third-party-licences.txt"), "utf8"),
    );
  });

  it("has no shell, no npm, no sources and no source map", () => {
    const names = files.map(({ path }) => path);
    expect(names).toContain(NODE);
    expect(names.filter((path) => /\/(sh|bash|dash|busybox|npm|npx|env|chmod)$/.test(path))).toEqual([]);
    expect(names.filter((path) => /node_modules|\.npmrc|\.map$|\.ts$|\.git/.test(path))).toEqual([]);
  });

  it("has no file that its user can change", () => {
    expect(files.filter(({ owner }) => owner !== 0)).toEqual([]);
    expect(files.filter(({ kind, mode }) => kind !== "other" && (mode & 0o022) !== 0)).toEqual([]);
    expect(files.filter(({ mode }) => (mode & 0o6000) !== 0)).toEqual([]);
  });

  it("does not contain the secrets of the build", async () => {
    expect(await readFile(join(dir, "npmrc"), "utf8")).toContain(CANARY);
    for (const { path } of files.filter(({ kind }) => kind === "file")) {
      expect((await readFile(join(mounted, path))).includes(CANARY), path).toBe(false);
    }
    expect(await buildah.run("inspect", "--type=image", image)).not.toContain(CANARY);
  });

  it("has the same bundle as another build, byte for byte", async () => {
    const [inside, outside] = await Promise.all([readFile(join(mounted, PROGRAM)), readFile(inject("program"))]);
    expect(inside.equals(outside)).toBe(true);
  });

  it("has labels with its origin, and the date of its sources", async () => {
    const { revision } = await imageFacts(root, String(EPOCH));
    const { created, config } = await inspected();
    expect(created).toBe("2023-11-14T22:13:20Z");
    expect(config.Labels).toMatchObject({
      "org.opencontainers.image.title": "platform-operator",
      "org.opencontainers.image.licenses": "Apache-2.0",
      "org.opencontainers.image.version": "0.1.0",
      "org.opencontainers.image.revision": revision,
      "org.opencontainers.image.created": "2023-11-14T22:13:20Z",
      "org.opencontainers.image.base.name": "localhost/runtime",
    });
    expect(own.map(({ changed }) => changed)).toEqual(own.map(() => EPOCH));
  });
});

describe("the image's entry point", () => {
  it.each([
    ["in a container", runInContainer],
    ["on a read-only root", runReadOnly],
  ])("runs %s without warnings, and fails without a cluster", async (_where, run) => {
    const quiet = { code: 0, stderr: "" };
    expect(await run("--version")).toMatchObject({ ...quiet, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\s/) });
    expect(await run("run", "--help")).toMatchObject({ ...quiet, stdout: expect.stringContaining("--leader-elect") });
    const { code, stdout, stderr } = await run("run");
    expect(code).toBe(1);
    expect(stdout + stderr).toContain("no Kubernetes configuration");
  });
});
