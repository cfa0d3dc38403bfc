import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { prints, startProgram } from "../support/programs/programs.ts";
import { newFolder } from "./folder.ts";
import { type } from "./shell.ts";

const main = join(import.meta.dirname, "../demo/main.ts");
const folder = await newFolder("demo-lines");

it("the demo prints lines that work when they are copied into another terminal", async () => {
  const home = join(folder, "home");
  await mkdir(home);
  // HOME: that of the cached binaries.
  const env = { TMPDIR: folder, HOME: homedir() };
  const demo = startProgram({ file: process.execPath, args: [main, "--speed=60"], env });
  onTestFinished(() => demo.stop());
  await prints(demo, "Ctrl-C ends the demo");

  const [, copied = ""] = /In another terminal:\n((?: {2}.*\n)+)/.exec(demo.output()) ?? [];
  const lines = copied.split("\n").map((line) => line.trim().replace(/^kubectl .* -w$/, "once $&"));
  // A login's PATH, without Node.
  const user = { cwd: home, env: { PATH: "/usr/bin:/bin", HOME: home }, program: ["/bin/sh", "-eu"] } as const;
  const printed = await type(lines.join("\n"), user);
  for (const line of [
    /^shop +platformapplication\.platform-operator\.io\/api +True +Deployed /m, // get
    /^Name: +api$/m, // describe
    /✔ application api 1a2b3c4/, // tree
    /^ +buildMode +unknown +DOCKER +not shown$/m, // status --remote
    /^platformapplication\.platform-operator\.io\/api patched$/m,
    /^NAME +READY +REASON /m, // get -w
    /"web" deleted/,
  ]) {
    expect(printed).toMatch(line);
  }
});
