/** A test of this folder fails if the operator's RBAC rules are too narrow for it. */
import { expect, it, vi } from "vitest";
import { z } from "zod";

import { defaults } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { openChaosEnv } from "./env.ts";
import type { Answer, Call } from "./tap/call.ts";

const Role = z.looseObject({ rules: z.array(z.looseObject({ resources: z.array(z.string()) })) });

it("[E14] a right that the operator lacks fails the test, with the name of the call", async ({ task }) => {
  const env = await openChaosEnv({ surface: "full" });
  const path = `/apis/rbac.authorization.k8s.io/v1/clusterroles/${env.operatorNamespace}`;
  const { rules } = Role.parse(await env.client.request({ method: "GET", path }));
  const narrower = rules.filter(({ resources }) => !resources.includes("secrets"));
  expect(narrower).toHaveLength(rules.length - 1);
  await env.client.request({ method: "PATCH", path, body: z.json().parse({ rules: narrower }) });
  const onAnswer = vi.fn<(call: Call, answer: Answer) => void>();
  env.interceptor = { onAnswer };
  await env.apply(...defaults(env));
  const refused = (): readonly string[] =>
    onAnswer.mock.calls.filter(([, { status }]) => status === 403).map(([{ what }]) => what);
  await vi.waitFor(() => expect(refused()).toContain("kube GET secrets/default"), 60_000);
  await expect(env[Symbol.asyncDispose]()).rejects.toThrow(/refused the operator:\nkube GET secrets\/default: /);
  figure(task, "1 call without a right found");
});
