/** The program of `make new-kind` in a copy of the sources: what it writes is a kind that works, and says what is to be filled in. */
import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

const root = join(import.meta.dirname, "../..");
const bin = (name: string): string => join(root, "node_modules/.bin", name);
const run = promisify(execFile);

const Report = z.object({
  testResults: z.array(
    z.object({ assertionResults: z.array(z.object({ title: z.string(), status: z.string() })).min(1) }),
  ),
});

describe("make new-kind", () => {
  let copy = "";
  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), "new-kind-"));
    const entries = await readdir(root, { withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    const folders = ["src", "simulator", "test", "scripts", "bench", "examples"];
    const copied = [...files, ...folders].map((name) => cp(join(root, name), join(copy, name), { recursive: true }));
    await Promise.all(copied);
    await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  });
  afterAll(() => rm(copy, { recursive: true }));

  // Not by make, which would install packages into the folder that the copy shares.
  const make = (name: string) => run(process.execPath, ["scripts/new-kind.ts", name], { cwd: copy });

  it("writes two kinds that tsc accepts", async () => {
    await make("PlatformRegistry");
    const { stdout } = await make("PlatformMailBox");
    expect(stdout).toContain("src/kinds/mail-box/index.ts");
    expect(await readFile(join(copy, "src/kinds/index.ts"), "utf8")).toContain("PlatformMailBox: mailBox,");
    expect(await run(bin("tsc"), ["--noEmit"], { cwd: copy })).toEqual({ stdout: "", stderr: "" });
  });

  it("writes tests that fail where something is to be filled in, and nowhere else", async () => {
    const args = ["--project=unit", "--project=model", "--reporter=json", "--outputFile.json=report.json"];
    const tests = ["test/unit/new-kind", "test/model/kinds-contract", "simulator/", "-t", "[Rr]egistr|[Mm]ail-?[Bb]ox"];
    await expect(run(bin("vitest"), ["run", ...args, ...tests], { cwd: copy })).rejects.toThrow("Command failed");
    const report = Report.parse(JSON.parse(await readFile(join(copy, "report.json"), "utf8")));
    const results = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    const failed = results.filter(({ status }) => status === "failed").map(({ title }) => title);
    const files = ["examples/NAME.yaml", "src/kinds/NAME/index.ts", "test/samples/NAME.ts"];
    const unfilled = [
      ...["mailBoxes", "registries"].map((area) => `src/platform/areas/${area}.ts`),
      ...["mail-box", "registry"].flatMap((name) => files.map((file) => file.replace("NAME", name))),
    ];
    expect(new Set(failed)).toEqual(new Set(unfilled.map((file) => `is filled in: ${file}`)));
  });

  it("overwrites nothing", async () => {
    await expect(make("PlatformRegistry")).rejects.toThrow("src/kinds/registry/index.ts is there already");
  });
});
