import { beforeAll, expect, it } from "vitest";

import { createEnv } from "../support/env/env.ts";
import { calm } from "../support/env/settling.ts";
import { application, defaults, environment, project, secret } from "../support/kube/manifests.ts";

const NAMES = Array.from({ length: 15 }, (_, index) => `app-${String(index)}`);

const env = createEnv({ surface: "full" });

const token = (): string => {
  const { auth, ids } = env.platform.sim;
  const { organizationId } = env.platform;
  return auth.createToken({ name: `token ${ids.hex(4)}`, organizationId, scopes: ["Admin"] }).value;
};
const values = (value: string) => NAMES.map((name) => secret(name, { password: `${value}-of-${name}` }));
const rotateToken = () => env.apply(secret("default", { token: token() }));

beforeAll(async () => {
  const variable = (name: string) => ({ name: "PASSWORD", valueFrom: { secretKeyRef: { name, key: "password" } } });
  await env.apply(
    ...defaults(env),
    ...values("first"),
    project("shop"),
    environment(env, "shop", "shop"),
    ...NAMES.map((name) => application(name, "shop", { variables: [variable(name)] })),
  );
  for (const name of NAMES) await env.waitFor("PlatformApplication", name, { status: "True" });
  await calm(env);
});

it("a rotated token, with Secrets that were written again without another value, changes nothing", async () => {
  const record = await env.record();
  await env.kubectl(["annotate", "secret", ...NAMES, "written=again"]);
  await rotateToken();
  await env.quiet(5);
  await calm(env);
  expect(record.changes()).toEqual([]);
  await env.waitFor("PlatformConnection", "default", { status: "True" });
});

it("values that change together with the token are imported and deployed, and are not held as a mass change", async () => {
  const record = await env.record();
  await rotateToken();
  await env.apply(...values("second"));
  await expect
    .poll(() => record.changes().filter((operation) => operation === "deployApplication").length, { timeout: 60_000 })
    .toBe(NAMES.length);
  for (const name of NAMES) await env.waitFor("PlatformApplication", name, { status: "True" });
  expect(record.changes().filter((operation) => operation !== "deployApplication").length).toBeGreaterThanOrEqual(15);
  await env.waitFor("PlatformConnection", "default", { status: "True" });
});
