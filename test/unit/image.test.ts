/** The Dockerfile's text against what the chart expects. What it builds: test/e2e/image.test.ts. */
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { COMMAND, MALLOC, NODE, nodeFlags, PROGRAM } from "../../scripts/image.ts";
import { textOf } from "./repository.ts";

interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** Of one stage each, in their order; what stands before the first FROM is the first. */
function stages(): readonly (readonly Instruction[])[] {
  const lines = textOf("Dockerfile")
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll("\\\n", " ")
    .split("\n");
  const instructions = lines.flatMap((line) => {
    const [, name = "", rest = ""] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return name === "" ? [] : [{ name, rest: rest.trim().replaceAll(/\s+/g, " ") }];
  });
  const starts = instructions.flatMap(({ name }, index) => (name === "FROM" ? [index] : []));
  return [0, ...starts].map((start, index) => instructions.slice(start, starts[index]));
}

const of = (env: readonly Instruction[], wanted: string): readonly string[] =>
  env.filter(({ name }) => name === wanted).map(({ rest }) => rest);
const [, build = [], ...others] = stages();
const last = others.at(-1) ?? [];

describe("the Dockerfile", () => {
  it("starts the operator as the chart's Deployment does", () => {
    expect(of(last, "ENTRYPOINT").map((text) => z.array(z.string()).parse(JSON.parse(text)))).toEqual([COMMAND]);
    expect(of(last, "CMD")).toEqual(['["run"]']);
    const env = Object.entries({ NODE_ENV: "production", ...MALLOC }).map(([name, value]) => `${name}=${value}`);
    expect(of(last, "ENV")).toEqual([env.join(" ")]);
    const template = textOf("helm-chart/templates/_generated.tpl");
    const [, partial = ""] = /"platform-operator\.command" -}}\n([^{]*)\{/.exec(template) ?? [];
    expect(partial.trim().split("\n")).toEqual(COMMAND.map((word) => `- ${word}`));
    expect(COMMAND.slice(1, -1)).toEqual(nodeFlags([PROGRAM, "/var/run/secrets/kubernetes.io/serviceaccount"]));
  });

  it("runs nothing in the last stage and copies five files into it, which belong to root and are read-only", () => {
    expect(others.flatMap((env) => of(env, "RUN"))).toEqual([]);
    const copies = of(last, "COPY").map((text) => text.split(" "));
    expect(copies.map((words) => words.at(-1))).toEqual([
      "/licenses/LICENSE",
      "/licenses/third-party.txt",
      "/licenses/node.txt",
      NODE,
      PROGRAM,
    ]);
    expect(copies.filter((words) => !words.includes("--chown=0:0"))).toEqual([]);
    expect(copies.flatMap((words) => words.filter((word) => /^--chmod=0[0-7]*[2367]/.test(word)))).toEqual([]);
  });

  it("gets exactly the files that it copies", () => {
    const local = [build, ...others].flatMap((env) => of(env, "COPY")).filter((text) => !text.includes("--from="));
    const wanted = local.flatMap((text) =>
      text
        .split(" ")
        .filter((word) => !word.startsWith("--"))
        .slice(0, -1),
    );
    const rules = textOf(".dockerignore").split("\n");
    const sent = rules.filter((rule) => rule.startsWith("!")).map((rule) => rule.slice(1));
    expect(sent.toSorted()).toEqual(wanted.map((path) => path.replace("./", "")).toSorted());
    expect(rules).toContain("*");
  });

  it("installs from the lock file without scripts, and keeps the registry's secret out of the layers", () => {
    const [install = ""] = of(build, "RUN");
    expect(install).toContain("npm ci --ignore-scripts");
    expect(install).toContain("--mount=type=secret,id=npmrc NPM_CONFIG_USERCONFIG=/run/secrets/npmrc");
  });
});
