import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { cacheDir, findBinaries, type FindOptions } from "../control-plane/binaries.ts";
import { listen } from "../support/programs/free-port.ts";

/** Nobody listens on port 2. */
const noNetwork = "http://127.0.0.1:2/index.yaml";

const ALL = ["kube-apiserver", "etcd", "kubectl"];
type Folder = "assets" | "bin" | "cache";
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "binaries-test-"));
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

describe("findBinaries", () => {
  it.each<[what: string, assets: readonly string[], dir: Folder, kubectl: Folder]>([
    ["KUBEBUILDER_ASSETS before everything else", ALL, "assets", "assets"],
    ["kubectl from PATH when KUBEBUILDER_ASSETS has none", ["kube-apiserver", "etcd"], "assets", "bin"],
    ["the cache when KUBEBUILDER_ASSETS lacks something", ["etcd"], "cache", "cache"],
  ])("takes %s", async (_, tools, dir, kubectl) => {
    const folders = { assets: fill("assets", tools), bin: fill("bin", ["kubectl"]), cache: await fillCache(ALL) };
    const found = await find({ KUBEBUILDER_ASSETS: folders.assets, PATH: folders.bin });
    expect(found).toEqual({ dir: folders[dir], kubectl: join(folders[kubectl], "kubectl") });
  });

  it("downloads what upstream publishes into the cache", async () => {
    const dir = await cacheDir(env({}));
    const found = await find({}, () => {}, await publish());
    expect(found).toEqual({ dir, kubectl: join(dir, "kubectl") });
    expect(readdirSync(dir).toSorted()).toEqual(["etcd", "kube-apiserver", "kubectl"]);
    expect(readdirSync(dirname(dir))).toEqual([basename(dir)]);
  });

  it("refuses a download whose checksum is not the index's", async () => {
    const finding = find({}, () => {}, await publish("00"));
    await expect(finding).rejects.toThrow(/3\. the upstream download: SHA-512 mismatch/);
  });

  it("builds only what the cache lacks, and leaves no temporary file", async () => {
    const cache = await fillCache(["kube-apiserver", "etcd"]);
    const lines: string[] = [];
    const found = await find({ PATH: fakeGo() }, (line) => lines.push(line));
    expect(found).toEqual({ dir: cache, kubectl: join(cache, "kubectl") });
    expect(readdirSync(cache).toSorted()).toEqual(["etcd", "kube-apiserver", "kubectl"]);
    expect(builds()).toEqual(["k8s.io/kubernetes/cmd/kubectl"]);
    expect(lines.join("\n")).toMatch(/kubectl \(1 of 1\): about \d+ (s|min)/);
  });

  it("builds once when two ask at the same time", async () => {
    const env = { PATH: fakeGo() };
    await Promise.all([find(env), find(env)]);
    expect(builds()).toHaveLength(3);
  });

  it.each([
    ["of a dead process", "4194305", new Date()],
    ["that nobody has touched for a long time", String(process.pid), new Date(Date.now() - 3_600_000)],
  ])("breaks a lock %s", async (_, pid, touched) => {
    const lock = `${await cacheDir(env({}))}.lock`;
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, pid);
    utimesSync(lock, touched, touched);
    await find({ PATH: fakeGo() });
    expect(builds()).toHaveLength(3);
  });

  it("names all four ways when none works, and what failed in each", async () => {
    const assets = fill("assets", ["etcd"]);
    const cache = await cacheDir(env({}));
    await expect(find({ KUBEBUILDER_ASSETS: assets })).rejects.toThrow(
      [
        "no control plane (kube-apiserver, etcd, kubectl); tried in this order:",
        `  1. KUBEBUILDER_ASSETS: no kube-apiserver, kubectl in ${assets}`,
        `  2. the cache: no kube-apiserver, etcd, kubectl in ${cache}`,
        "  3. the upstream download: fetch failed (connect ECONNREFUSED 127.0.0.1:2)",
        "  4. a build with Go: no go on PATH",
      ].join("\n"),
    );
  });

  it("shows the compiler's words when a build fails, and keeps nothing of it", async () => {
    const go = fakeGo("echo 'main.go:1: nonsense' >&2; exit 3");
    await expect(find({ PATH: go })).rejects.toThrow(
      /4\. a build with Go: go build ended with 3:\nmain.go:1: nonsense/,
    );
    expect(readdirSync(await cacheDir(env({})))).toEqual([]);
  });
});

function env(extra: Record<string, string>): Record<string, string> {
  return { HOME: home, XDG_CACHE_HOME: join(home, "cache"), PATH: "", ...extra };
}

function find(
  extra: Record<string, string>,
  progress: FindOptions["progress"] = () => {},
  indexUrl = noNetwork,
): ReturnType<typeof findBinaries> {
  return findBinaries({ env: env(extra), progress, indexUrl });
}

function fill(name: string, tools: readonly string[]): string {
  const dir = join(home, name);
  mkdirSync(dir, { recursive: true });
  for (const tool of tools) executable(join(dir, tool), "#!/bin/sh\n");
  return dir;
}

async function fillCache(tools: readonly string[]): Promise<string> {
  const dir = await cacheDir(env({}));
  return fill(dir.slice(home.length + 1), tools);
}

/** Serves an envtest release for this platform until the test ends. @returns the URL of its index */
async function publish(hash?: string): Promise<string> {
  const dir = fill("archive/controller-tools/envtest", ALL);
  const archive = execFileSync("tar", ["-cz", "-C", dirname(dirname(dir)), "controller-tools"]);
  const digest = hash ?? createHash("sha512").update(archive).digest("hex");
  const name = `envtest-v1.36.0-${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}.tar.gz`;
  const server = createServer((request, response) => {
    const self = `http://${request.headers.host}/${name}`;
    const index = { releases: { "v1.36.0": { [name]: { hash: digest, selfLink: self } } } };
    response.end(request.url === "/index.yaml" ? JSON.stringify(index) : archive);
  });
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${await listen(server)}/index.yaml`;
}

/** A folder with a `go` that writes an empty program to the place after -o and notes the package it was asked for. */
function fakeGo(then = ""): string {
  const dir = fill("go", []);
  executable(
    join(dir, "go"),
    `#!/bin/sh
[ "$1" = list ] && exit 0
for last; do :; done
while [ "$1" != "-o" ]; do shift; done
echo "$last" >> '${join(home, "builds")}'
${then}
echo '#!/bin/sh' > "$2"
/bin/chmod +x "$2"
`,
  );
  return dir;
}

function builds(): string[] {
  return readFileSync(join(home, "builds"), "utf8").trim().split("\n");
}

function executable(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o755 });
}
