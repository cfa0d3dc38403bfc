/** `make image`: builds the Dockerfile with the first engine that works, and prints the image's name. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { parseArgs } from "node:util";

import { buildArguments } from "./image-build/command.ts";
import { findEngine } from "./image-build/engine.ts";
import { imageFacts } from "./image-build/facts.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: {
    image: { type: "string", default: "ghcr.io/platform-operator/platform-operator" },
    version: text,
    "build-image": text,
    "runtime-image": text,
    npmrc: text,
    push: { type: "boolean", default: false },
  },
});

async function run(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { cwd: dirname(import.meta.dirname), stdio: "inherit" });
  await once(child, "exit");
  if (child.exitCode !== 0) throw new Error(`${program} ${args[0]} failed`);
}

try {
  const engine = await findEngine(process.env["PATH"]);
  const sources = await imageFacts(dirname(import.meta.dirname), process.env["SOURCE_DATE_EPOCH"]);
  const facts = { ...sources, version: values.version || sources.version };
  const name = `${values.image}:${facts.version}`;
  const bases = { build: values["build-image"], runtime: values["runtime-image"] };
  await run(engine, [...buildArguments(engine, { facts, name, bases, npmrc: values.npmrc }), "."]);
  if (values.push) await run(engine, ["push", name]);
  console.log(name);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
