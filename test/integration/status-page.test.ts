/** The status page of a real operator, under the flags of Node that it ships with. */
import { beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { createEnv } from "../support/env/env.ts";

const waiting = { timeout: 30_000, interval: 100 };
const Tree = z.object({
  operator: z.object({ isLeading: z.boolean(), waitingFor: z.string().nullable(), silentMs: z.number() }),
  rows: z.array(
    z.looseObject({
      word: z.string(),
      name: z.string(),
      depth: z.number(),
      mark: z.string(),
      state: z.string(),
    }),
  ),
});

describe("the status page of an operator", () => {
  const env = createEnv({ surface: "full", args: ["--status-page-bind-address=127.0.0.1:0"] });
  let url: string;

  const tree = async () => Tree.parse(await (await fetch(`${url}/api/tree`)).json());

  beforeAll(async () => {
    // The operator counts as started once it serves metrics and probes; this comes after them.
    await vi.waitFor(() => {
      const reported = env.operator
        .logs()
        .find(({ message, server }) => message === "listening" && server === "status-page");
      url = z.url().parse(reported?.["address"]);
    }, waiting);
    await env.ready(...env.quickstart());
  });

  it("shows what the cluster holds, below what it belongs to", async () => {
    await vi.waitFor(async () => {
      const { rows, operator } = await tree();
      expect(operator).toMatchObject({ isLeading: true, waitingFor: null });
      expect(operator.silentMs).toBeLessThan(120_000);
      const applications = rows.filter(({ word }) => word === "application");
      expect(applications.map(({ name, depth, mark, state }) => [name, depth, mark, state])).toEqual(
        expect.arrayContaining([
          ["api", 2, "ready", "DEPLOYED"],
          ["web", 2, "ready", "DEPLOYED"],
        ]),
      );
    }, waiting);
  });

  it("[S3] holds no token and nothing of a spec, and takes no write", async () => {
    const all = await (await fetch(`${url}/api/tree`)).text();
    const hidden = [...Object.values(env.platform.tokens), env.platform.url, env.platform.organizationId];
    expect(hidden.filter((text) => all.includes(text))).toEqual([]);
    expect((await fetch(`${url}/api/tree`, { method: "POST", body: "{}" })).status).toBe(405);
  });
});
