import { describe, expect, it } from "vitest";

import { variableSetBench } from "../support/variable-set-bench.ts";

const plain = { name: "MODE", value: "fast" };
const secret = { name: "TOKEN", valueFrom: { secretKeyRef: { name: "s", key: "k" } } };
const FIELD = "spec.variables[TOKEN]";

describe.each(["Full", "Documented"] as const)("a variable set on the %s surface", (surface) => {
  const bench = variableSetBench(surface);
  const isFull = surface === "Full";
  const scope = isFull ? { scope: "APPLICATION" } : {};
  const both = () => ({ targets: [bench.target("web"), bench.target("api")], variables: [plain, secret] });
  const outside = { values: { [FIELD]: "hunter22" } };

  it("is imported into every application by one request for each, and then left in peace", async () => {
    const runner = bench.set(both(), outside);
    const ran = await runner.settle();
    expect(ran).toMatchObject({
      ops: ["importVariables", "importVariables"],
      is: "settled",
      why: { reason: "Available", message: "2 variables in place in 2 applications." },
    });
    const body = {
      overwrite: false,
      vars: [
        { name: "MODE", value: "fast", is_secret: false, ...scope },
        { name: "TOKEN", value: "•••", is_secret: true, ...scope },
      ],
    };
    const sent = bench.sent();
    expect(sent.map(([operation]) => operation)).toEqual(["importEnvironmentVariable", "importEnvironmentVariable"]);
    expect(JSON.parse(JSON.stringify(sent[0]?.[1]))).toMatchObject({
      overwrite: false,
      vars: [{ name: "MODE", ...scope }, { name: "TOKEN" }],
    });
    expect(body.vars).toHaveLength(2);
    for (const id of [bench.web, bench.api])
      expect(bench.world.values(id)).toEqual({ MODE: "fast", TOKEN: "hunter22" });
    const token = bench.variable("TOKEN");
    expect(ran.status).toMatchObject({
      targetsSynced: "2/2",
      targets: [
        {
          applicationId: bench.web,
          name: "web",
          total: 2,
          imported: 2,
          secretKeys: [{ key: "TOKEN", id: token?.id, updatedAt: token?.updatedAt }],
        },
        { applicationId: bench.api, name: "api" },
      ],
    });
    expect(JSON.stringify(ran.status)).not.toContain("hunter22");
    bench.world.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });
});
