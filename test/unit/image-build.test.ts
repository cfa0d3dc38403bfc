import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildArguments, findEngine, imageFacts } from "../../scripts/build-image.ts";

const facts = { version: "1.2.3", revision: "abc", epoch: 1_700_000_000 };
let folder = "";

async function place(name: string, script: string): Promise<string> {
  const bin = await mkdtemp(join(folder, "bin-"));
  await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return bin;
}

/** Docker's client, without its daemon. */
const deadDocker = () => place("docker", "echo 'Cannot connect to the Docker daemon' >&2; exit 1");

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "image-build-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("the search for a program that builds the image", () => {
  it("finds one that works, and skips one that is only installed", async () => {
    const client = await deadDocker();
    const buildah = await place("buildah", "echo linux");
    await expect(findEngine(`${client}:${buildah}`)).resolves.toBe("buildah");
    const podman = await place("podman", "echo 5");
    await expect(findEngine(`${client}:${buildah}:${podman}`)).resolves.toBe("podman");
  });

  it("fails with the reason for each program", async () => {
    const client = await deadDocker();
    await expect(findEngine(client)).rejects.toThrow(
      [
        "This needs docker, podman, or buildah.",
        "docker: installed, and does not work: Cannot connect to the Docker daemon",
        "podman: not on PATH",
        "buildah: not on PATH",
      ].join("\n"),
    );
    await expect(findEngine(folder, ["docker"])).rejects.toThrow("This needs docker.\ndocker: not on PATH");
  });
});

describe("the command that builds the image", () => {
  it("dates the image by its sources, by each program's own flag", () => {
    const said = ["--build-arg=VERSION=1.2.3", "--build-arg=REVISION=abc", "--build-arg=CREATED=2023-11-14T22:13:20Z"];
    const docker = buildArguments("docker", { facts, name: "x:1.2.3" });
    expect(docker).toEqual(["build", "--tag=x:1.2.3", ...said, "--build-arg=SOURCE_DATE_EPOCH=1700000000"]);
    const buildah = buildArguments("buildah", { facts, name: "x:1.2.3" });
    expect(buildah).toEqual(["build", "--tag=x:1.2.3", ...said, "--timestamp=1700000000"]);
  });

  it("passes on other base images, and the .npmrc of a mirror as a secret", () => {
    const bases = { build: "mirror/node", runtime: "mirror/cc" };
    const args = buildArguments("podman", { facts, name: "x:1", bases, npmrc: "/home/me/.npmrc" });
    const images = ["--build-arg=BUILD_IMAGE=mirror/node", "--build-arg=RUNTIME_IMAGE=mirror/cc"];
    expect(args).toEqual(expect.arrayContaining([...images, "--secret=id=npmrc,src=/home/me/.npmrc"]));
  });
});

describe("the facts about an image", () => {
  const git = async (...args: string[]): Promise<string> => {
    const config = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
    return (await promisify(execFile)("git", [...config, ...args], { cwd: folder })).stdout;
  };

  it("are the version, the commit with the mark of uncommitted changes, and the date", async () => {
    await writeFile(join(folder, "package.json"), '{"version":"1.2.3"}');
    await expect(imageFacts(folder, undefined)).resolves.toEqual({ version: "1.2.3", revision: "unknown", epoch: 0 });
    await git("init", "--quiet");
    await git("add", "package.json");
    await git("commit", "--quiet", "--message=x", "--date=@1700000000");
    const [hash, date] = (await git("log", "-1", "--format=%H %ct")).trim().split(" ");
    await expect(imageFacts(folder, undefined)).resolves.toMatchObject({
      // Programs of the tests above lie in the folder.
      revision: `${hash}-dirty`,
      epoch: Number(date),
    });
    await writeFile(join(folder, ".gitignore"), "*\n");
    await expect(imageFacts(folder, "1600000000")).resolves.toMatchObject({ revision: hash, epoch: 1_600_000_000 });
  });

  it("are refused with a SOURCE_DATE_EPOCH that is not a number", async () => {
    await expect(imageFacts(folder, "yesterday")).rejects.toThrow("expected number");
  });
});
