import { beforeAll, expect, it } from "vitest";

import { editRecord } from "../../simulator/control/records.ts";
import { createEnv } from "../support/env/env.ts";
import { calm } from "../support/env/settling.ts";
import { application, defaults, environment, project, resource, secret } from "../support/kube/manifests.ts";

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
    ...NAMES.map((name) => application(name, "shop", { memory: 512, variables: [variable(name)] })),
  );
  for (const name of NAMES) await env.waitFor("PlatformApplication", name, { status: "True" });
  await calm(env);
});

it("a rotated token, with Secrets that were written again without another value, changes nothing on the platform", async () => {
  const record = await env.record();
  await env.kubectl(["annotate", "secret", ...NAMES, "written=again"]);
  await rotateToken();
  await env.quiet(5);
  await calm(env);
  expect(record.changes()).toEqual([]);
  await env.waitFor("PlatformConnection", "default", { status: "True" });
});

it("values that change together with the token are imported and deployed, and do not count as a mass change", async () => {
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

it("values that change while others changed settings on the platform are imported and deployed, and do not count as a mass change", async () => {
  // One reconcile finds both, in a process that knows of no earlier change by a user.
  await env.stop();
  const { services } = env.platform.world();
  const record = await env.record();
  for (const [id, { name }] of services) if (NAMES.includes(name)) editRecord(env.platform.sim, id, { memory: 4_096 });
  await env.apply(...values("third"));
  await env.start();
  await expect
    .poll(() => record.changes().filter((operation) => operation === "deployApplication").length, { timeout: 60_000 })
    .toBe(NAMES.length);
  for (const name of NAMES) await env.waitFor("PlatformApplication", name, { status: "True" });
  expect([...services.values()].filter(({ settings }) => settings["memory"] !== 512)).toEqual([]);
  await env.waitFor("PlatformConnection", "default", { status: "True" });
});

it("variables of a set whose keys leave their Secrets are removed and deployed, and do not count as a mass change", async () => {
  const keys = (more: Readonly<Record<string, string>>) =>
    NAMES.map((name) => secret(`${name}-all`, { KEPT: `kept-by-${name}`, ...more }));
  const set = (name: string) =>
    resource("PlatformVariableSet", name, {
      targets: [{ applicationRef: { name } }],
      variablesFrom: [{ secretRef: { name: `${name}-all` } }],
    });
  await env.apply(...keys({ OLD: "old-value-of-all" }), ...NAMES.map(set));
  for (const name of NAMES) await env.waitFor("PlatformVariableSet", name, { status: "True" });
  await calm(env);
  const record = await env.record();
  for (const name of NAMES) await env.patch("Secret", `${name}-all`, { data: { OLD: null } });
  await expect
    .poll(() => record.changes().filter((operation) => operation === "deleteApplicationSecret").length, {
      timeout: 60_000,
    })
    .toBe(NAMES.length);
  await calm(env);
  for (const name of NAMES) await env.waitFor("PlatformApplication", name, { status: "True" });
  await env.waitFor("PlatformConnection", "default", { status: "True" });
});
