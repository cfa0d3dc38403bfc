/** The workflows' text against what a supply chain rests on; they run on GitHub alone. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";

import { filesIn, root, textOf } from "./repository.ts";

const Step = z.looseObject({
  name: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
});
const Job = z.looseObject({
  permissions: z.record(z.string(), z.enum(["read", "write"])),
  "timeout-minutes": z.number(),
  steps: z.array(Step),
});
const Workflow = z.looseObject({
  on: z.record(z.string(), z.unknown()),
  permissions: z.strictObject({}),
  jobs: z.record(z.string(), Job),
});

const files = filesIn(".github/workflows", "").map((path) => {
  const text = textOf(path);
  return { name: basename(path), text, workflow: Workflow.parse(parse(text)) };
});
const jobs = files.flatMap(({ name, workflow }) =>
  Object.entries(workflow.jobs).map(([job, facts]) => ({ job: `${name} ${job}`, ...facts })),
);
const steps = jobs.flatMap(({ job, steps: all }) => all.map((step) => ({ job, ...step })));

describe("the GitHub workflows", () => {
  it("pin each action to a commit, with the version beside it", () => {
    const uses = files.flatMap(({ text }) => [...text.matchAll(/uses: (.*)$/gm)].map(([, value = ""]) => value));
    expect(uses.length).toBeGreaterThan(5);
    expect(uses.filter((value) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(value))).toEqual([]);
    const commits = new Map(uses.map((value) => [value.split("@")[0], value]));
    expect(uses.filter((value) => commits.get(value.split("@")[0]) !== value)).toEqual([]);
  });

  it("let a job write only what it publishes", () => {
    const written = jobs.map(({ job, permissions }) => {
      return [job, Object.keys(permissions).filter((what) => permissions[what] === "write")] as const;
    });
    expect(written.filter(([, what]) => what.length > 0)).toEqual([
      ["release.yaml image", ["packages", "id-token", "attestations", "artifact-metadata"]],
      ["release.yaml chart", ["packages", "id-token"]],
      ["release.yaml release", ["contents", "id-token", "attestations"]],
    ]);
  });

  it("keep no token in the checkout", () => {
    const checkouts = steps.filter(({ uses = "" }) => uses.startsWith("actions/checkout@"));
    expect(checkouts.length).toBe(jobs.length);
    expect(checkouts.filter((step) => step.with?.["persist-credentials"] !== false)).toEqual([]);
  });

  it("put no foreign text into a script, and run no code of a fork with rights", () => {
    expect(steps.filter(({ run = "" }) => run.includes("${{")).map(({ job, run }) => ({ job, run }))).toEqual([]);
    const triggers = files.flatMap(({ workflow }) => Object.keys(workflow.on));
    expect(triggers.filter((on) => on === "pull_request_target" || on === "workflow_run")).toEqual([]);
    expect(steps.filter(({ run = "" }) => run.includes("npm install")).map(({ run }) => run)).toEqual([]);
  });

  it("publish only after the tests", () => {
    const release = files.find(({ name }) => name === "release.yaml")?.workflow.jobs ?? {};
    expect(Object.entries(release).map(([job, { needs }]) => [job, needs])).toEqual([
      ["test", undefined],
      ["e2e", undefined],
      ["image", ["test", "e2e"]],
      ["chart", "image"],
      ["release", ["image", "chart"]],
    ]);
  });

  it("build the image for the platforms that the chart names", () => {
    const named = [...textOf("helm-chart/Chart.yaml").matchAll(/^ +- (linux\/.*)$/gm)].map(([, platform]) => platform);
    expect(textOf(".github/workflows/release.yaml")).toContain(`--platform ${named.join(",")} `);
  });

  it("install the packages that make test cannot install without root", () => {
    const tests = jobs.filter(({ steps: all }) => all.some(({ run = "" }) => /^make (check )?test$/.test(run)));
    expect(tests.map(({ job }) => job)).toEqual(["ci.yaml test", "release.yaml test"]);
    for (const { steps: all } of tests) {
      const runs = all.map(({ run = "" }) => run);
      const installed = runs.findIndex((run) => run.includes("apt-get install -y --no-install-recommends prometheus"));
      expect(installed).toBeGreaterThan(-1);
      expect(installed).toBeLessThan(runs.findIndex((run) => run.startsWith("make ")));
    }
  });
});

describe("the files of a release", () => {
  const image = { IMAGE: "ghcr.io/somebody/platform-operator", DIGEST: `sha256:${"0123456789abcdef".repeat(4)}` };

  it("are complete, are listed with their checksums, and name the image by its digest", () => {
    const dir = mkdtempSync(join(tmpdir(), "release-"));
    onTestFinished(() => {
      rmSync(dir, { recursive: true });
    });
    for (const part of ["crds", "deploy"]) cpSync(join(root, part), join(dir, part), { recursive: true });
    mkdirSync(join(dir, "dist"));
    const plugin = ["kubectl-platform-0.0.0.tgz", "platform.yaml"];
    const built = ["operator.js", "platform-operator.cdx.json", "third-party-licences.txt", ...plugin];
    for (const name of built) writeFileSync(join(dir, "dist", name), name);

    const script = steps.find(({ job, name }) => job === "release.yaml release" && name?.startsWith("Collect"))?.run;
    // GitHub's shell where none is named: "Workflow syntax", jobs.<job_id>.steps[*].shell.
    execFileSync("bash", ["-e", "-c", script ?? "false"], {
      cwd: dir,
      env: { PATH: process.env["PATH"], ...image },
      stdio: ["ignore", "ignore", "inherit"],
    });

    const read = (name: string): string => readFileSync(join(dir, "assets", name), "utf8");
    const names = ["argocd-cm.yaml", "crds.yaml", "image.txt", "install.yaml"];
    const all = [...names, ...built].toSorted();
    expect(readdirSync(join(dir, "assets")).toSorted()).toEqual(["SHA256SUMS", ...all]);
    expect([...read("SHA256SUMS").matchAll(/^[0-9a-f]{64} {2}(.*)$/gm)].map(([, name]) => name)).toEqual(all);

    const crds = filesIn("crds", "").map((path): unknown => parse(textOf(path)));
    const documents = parseAllDocuments(read("crds.yaml"));
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    expect(documents.map((document) => document.toJS() as unknown)).toEqual(crds);
    const named = `${image.IMAGE}@${image.DIGEST}`;
    expect(read("image.txt")).toBe(`${named}\n`);
    const install = textOf("deploy/install.yaml");
    expect(read("install.yaml")).toBe(install.replace(/(?<=^ +image: )ghcr.io\S+/m, named));
    expect(install).not.toContain(named);
  });
});
