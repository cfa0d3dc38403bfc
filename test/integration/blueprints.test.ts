/** A blueprint on the platform's whole API, which checks requests strictly, from its creation to its deletion. */
import { beforeAll, expect, it } from "vitest";

import { condition, comes } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { calm } from "../support/env/settling.ts";
import { blueprint, secret } from "../support/kube/manifests.ts";
import { fixture } from "./fixture.ts";

const KIND = "PlatformBlueprint";
const env = createEnv({ surface: "full" });
const password = { name: "password", valueFrom: { secretKeyRef: { name: "values", key: "password" } } };

const service = () => [...env.platform.world().services.values()].find(({ blueprintId }) => blueprintId !== null);
const values = () => {
  const own = [...env.platform.world().variables.values()].filter(({ parentId }) => parentId === service()?.id);
  return Object.fromEntries(own.map(({ key, value }) => [key, value]));
};

beforeAll(() => fixture(env));

it("is updated, deployed and deleted with its resource", async () => {
  const lifecycle = { deletionPolicy: "Delete" };
  const variables = [password, { name: "size", value: "small" }];
  await env.apply(secret("values", { password: "first" }), blueprint("cache", "staging", { lifecycle, variables }));
  await env.waitFor(KIND, "cache", { status: "True", reason: "Deployed" });
  await calm(env);

  const record = await env.record();
  await env.patch(KIND, "cache", { spec: { variables: [password], specOverrides: { timeout: 90 } } });
  await comes(async () => service()?.settings["timeout"] === 90 || undefined, 30_000);
  await env.waitFor(KIND, "cache", { status: "True", reason: "Deployed" });
  await calm(env);
  expect(record.changes()).toEqual(["updateBlueprint", "deployBlueprint"]);
  expect(values()).toEqual({ password: "first" });
  expect(condition(await env.get(KIND, "cache"), "UpToDate")).toMatchObject({ status: "True" });
  await env.quiet(3);
  expect(record.changes()).toHaveLength(2);

  await env.remove(KIND, "cache");
  await env.waitGone(KIND, "cache", 30_000);
  expect(service()).toBeUndefined();
});
