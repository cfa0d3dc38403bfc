import { beforeAll, describe, expect, it } from "vitest";

import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import { calm, expectSettled, versions } from "../support/env/settling.ts";
import {
  application,
  connection,
  deploying,
  environment,
  NEXT_COMMIT,
  project,
  secret,
  tree,
} from "../support/kube/manifests.ts";

interface Case {
  /** Of the token that is too weak. */
  readonly scope: "read" | "deploy" | "write";
  readonly what: string;
  readonly operation: string;
  readonly needs: "Write" | "Deploy";
  readonly kind: string;
  readonly name: string;
  readonly ask: (env: Env) => Promise<void>;
}

/** A new object, for which the token is too weak. */
const creating = (scope: Case["scope"], operation: string, make: (env: Env) => Manifest): Case => {
  const noun = operation.slice("create".length);
  const ask = (env: Env): Promise<void> => env.apply(make(env));
  const what = `a new ${noun.toLowerCase()}`;
  return { scope, what, operation, needs: "Write", kind: `Platform${noun}`, name: "more", ask };
};
/** A change of an application, for which the token is too weak. */
const changing = (
  scope: Case["scope"],
  what: string,
  operation: string,
  needs: Case["needs"],
  patch: JsonObject,
): Case => {
  const object = { kind: "PlatformApplication", name: "base" };
  return { scope, what, operation, needs, ...object, ask: (env) => env.patch(object.kind, object.name, patch) };
};

const both: readonly Case[] = [
  creating("read", "createProject", () => project("more", { connectionRef: { name: "default" } })),
  creating("deploy", "createEnvironment", (env) => environment(env, "more", "base")),
  creating("deploy", "createApplication", () => application("more", "base")),
  changing("deploy", "a variable", "importVariables", "Write", {
    spec: { variables: [{ name: "LEVEL", value: "debug" }] },
  }),
  changing("write", "another commit", "deployApplication", "Deploy", deploying(NEXT_COMMIT)),
  changing("read", "one more commit", "deployApplication", "Deploy", deploying("fedcba9876543210")),
];
const setting = changing("deploy", "another setting", "updateApplication", "Write", { spec: { cpu: 750 } });
/** The last one: a stopped application is not deployed. */
const stop = changing("write", "a stop", "stopApplication", "Deploy", { spec: { runState: "Stopped" } });

const rows = [
  { surface: "full", cases: [setting, ...both, stop] },
  { surface: "documented", cases: both },
] as const;

describe.each(effort.few(rows))("403 on the $surface surface", ({ surface, cases }) => {
  const env = createEnv({ surface });
  const admin = (): Promise<void> => env.apply(secret("default", { token: env.platform.tokens.admin }));

  beforeAll(async () => {
    await admin();
    await env.apply(connection(env, "default"), ...tree(env, "base"));
    await expectSettled(env, "base");
  });

  it.each(effort.few(cases, 3))(
    "$what with the scope $scope: $operation is denied, named with the scope $needs, and continues with another token",
    async ({ scope, operation, needs, kind, name, ask }) => {
      await env.apply(secret("default", { token: env.platform.tokens[scope] }));
      // The change of the token is seen at the next read of the Secret; a new generation has it read at once.
      await env.patch("PlatformConnection", "default", {
        spec: { rateLimit: { burst: 1_000 + env.platform.journal().length } },
      });
      await env.waitFor("PlatformConnection", "default", { status: "True" });
      await calm(env);
      const record = await env.record();
      await ask(env);
      const denied = await env.waitFor(kind, name, { reason: "PermissionDenied" });
      expect(condition(denied, "Ready")).toMatchObject({
        status: "False",
        message: expect.stringMatching(new RegExp(`forbids ${operation} \\(403\\).*scope ${needs} or Admin`)),
      });
      expect(condition(denied, "Stalled")).toMatchObject({ status: "True", reason: "PermissionDenied" });
      expect(condition(await env.get("PlatformConnection", "default"), "Ready")?.status).toBe("True");
      expect(record.changeCalls().map(({ status }) => status)).toEqual([403]);

      await admin();
      await env.waitFor(kind, name, { status: "True" });
      const done = record.changeCalls().filter(({ status }) => status !== 403);
      expect(done[0]?.operation).toBe(record.changes()[0]);
      expect(done.flatMap(({ effects }) => effects).filter((effect) => "created" in effect).length).toBe(
        operation.startsWith("create") ? 1 : 0,
      );
    },
  );

  it("[C6] for the whole organization is reported on the connection; settled objects are not touched", async () => {
    await calm(env);
    const before = await versions(env, "base");
    await env.apply(secret("default", { token: env.platform.tokens.foreign }));
    await env.patch("PlatformConnection", "default", { spec: { rateLimit: { burst: 999 } } });
    const found = await env.waitFor("PlatformConnection", "default", { reason: "PermissionDenied" });
    expect(condition(found, "Stalled")).toMatchObject({ status: "True" });
    expect(condition(found, "Ready")?.message).toContain("forbids listProjects (403)");
    await env.quiet(5);
    expect(await versions(env, "base")).toEqual(before);
    await admin();
    await env.waitFor("PlatformConnection", "default", { status: "True" }, 12_000);
  });
});
