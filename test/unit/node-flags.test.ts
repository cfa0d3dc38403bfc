import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

import { NODE_FLAGS, nodeFlags } from "../../scripts/image.ts";
import { figure } from "../support/platform/figure.ts";

const flags = nodeFlags([import.meta.filename]);

/** @returns what a process under the flags finds when it runs `code`, an expression. */
async function evaluate(code: string): Promise<unknown> {
  const program = `import fs from "node:fs"; import inspector from "node:inspector";
    import { execSync } from "node:child_process"; import { Worker } from "node:worker_threads";
    const attempt = (act) => { try { act(); return "done"; } catch (error) { return error.code ?? error.name; } };
    console.log(JSON.stringify(${code}))`;
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, "--input-type=module", "--eval", program], {
    env: { CANARY: "c4n4ry-environment" },
  });
  return JSON.parse(stdout);
}

describe("[S2] the flags of Node", () => {
  it("are those of the security design, once each", () => {
    expect(NODE_FLAGS.map(({ flag }) => flag)).toEqual([
      "--disable-proto=throw",
      "--disallow-code-generation-from-strings",
      "--disable-sigusr1",
      "--report-exclude-env",
      "--permission",
    ]);
  });

  it("refuse everything that the operator does not need", async ({ task }) => {
    const here = JSON.stringify(import.meta.filename);
    const found = await evaluate(`{
      eval: attempt(() => globalThis.eval("1")),
      function: attempt(() => new Function("return 1")),
      proto: attempt(() => { ({}).__proto__.polluted = true; }),
      process: attempt(() => execSync("true")),
      worker: attempt(() => new Worker("1", { eval: true })),
      inspector: attempt(() => inspector.open(0)),
      write: attempt(() => fs.writeFileSync(${here} + ".new", "")),
      overwrite: attempt(() => fs.appendFileSync(${here}, "")),
      readElsewhere: attempt(() => fs.readFileSync("/etc/passwd")),
      readNamed: attempt(() => fs.readFileSync(${here})),
      environment: "environmentVariables" in process.report.getReport(),
    }`);
    expect(found).toEqual({
      eval: "EvalError",
      function: "EvalError",
      proto: "ERR_PROTO_ACCESS",
      process: "ERR_ACCESS_DENIED",
      worker: "ERR_ACCESS_DENIED",
      inspector: "ERR_ACCESS_DENIED",
      write: "ERR_ACCESS_DENIED",
      overwrite: "ERR_ACCESS_DENIED",
      readElsewhere: "ERR_ACCESS_DENIED",
      readNamed: "done",
      environment: false,
    });
    const refused = Object.values(found as object).filter((how) => how !== "done" && how !== false).length;
    figure(task, `${NODE_FLAGS.length} flags; ${refused} things refused that an operator does not do`);
  });
});
