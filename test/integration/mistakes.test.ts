/** What a person reads after a typical mistake, at 120 columns: fixtures/mistakes.txt. */
import { join } from "node:path";

import { beforeAll, describe, expect, it, vi } from "vitest";

import { member } from "../../src/kube/api/json.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { NOWHERE } from "../samples/sample.ts";
import { condition, type Manifest, PATIENCE_MS } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { eventsOf } from "../support/env/settling.ts";
import { application, connection, defaults, environment, project, secret } from "../support/kube/manifests.ts";
import { normalized } from "./cli-env.ts";

const COLUMNS = 120;

describe("what a person reads after", () => {
  const env = createEnv({ surface: "documented" });

  beforeAll(async () => {
    await env.ready(...defaults(env), project("ground"), environment(env, "ground", "ground"));
  });

  /** kubectl's own words. */
  const refused = async (manifest: Manifest, ...flags: readonly string[]): Promise<string> => {
    const args = ["apply", "-f", "-", ...flags];
    const error: unknown = await env
      .kubectl(args, { input: JSON.stringify(manifest) })
      .catch((thrown: unknown) => thrown);
    return String(member(error, "stderr") ?? error);
  };
  const spec =
    (change: JsonObject): (() => Promise<string>) =>
    async () =>
      refused(application("wrong", "ground", change));
  const variable = (fields: JsonObject): JsonObject => ({ variables: [{ name: "LEVEL", ...fields }] });

  /** The condition Ready, once it has that reason. The last manifest is the one to look at. */
  const ready = async (reason: string, ...manifests: readonly Manifest[]): Promise<string> => {
    await env.apply(...manifests);
    const last = manifests.at(-1);
    const object = await env.waitFor(last?.kind ?? "", last?.metadata.name ?? "", { reason });
    const { status, message } = condition(object, "Ready") ?? { status: "", message: "" };
    return `Ready=${status} ${reason}: ${message}`;
  };
  const wrongConnection = async (name: string, reason: string, fields: JsonObject, token: "admin" | "read" = "admin") =>
    ready(reason, secret(name, { token: env.platform.tokens[token] }), connection(env, name, fields));
  const source = (name: string, key: string): JsonObject => variable({ valueFrom: { secretKeyRef: { name, key } } });

  /** What became of an object that a person deleted. */
  const deleted = async (kind: string, name: string, reason: string): Promise<string> => {
    const answer = await env.kubectl(["delete", kind, name]);
    const events = await vi.waitUntil(async () => {
      const found = await eventsOf(env, name, reason);
      return found.length > 0 && found;
    }, PATIENCE_MS);
    return [answer.trim(), ...events].join("\n");
  };

  const MISTAKES: readonly (readonly [mistake: string, does: () => Promise<string>])[] = [
    ["a typo in a field", spec({ gitRepo: {} })],
    ["a wrong value of an enum", spec({ lifecycle: { deletionPolicy: "delete" } })],
    ["an enum of the platform in lower case", spec({ buildMode: "docker" })],
    ["a negative quantity", spec({ cpu: -1 })],
    ["a quantity as text", spec({ cpu: "500" })],
    ["a commit without quotes", spec({ deploy: { gitCommitId: 3_333_333 } })],
    [
      "value beside valueFrom",
      spec(variable({ value: "debug", valueFrom: { secretKeyRef: { name: "a", key: "b" } } })),
    ],
    ["name beside externalId", spec({ environmentRef: { name: "ground", externalId: NOWHERE } })],
    ["neither name nor externalId", spec({ environmentRef: {} })],
    ["a UUID in upper case", spec({ environmentRef: { externalId: NOWHERE.toUpperCase() } })],
    ["a path in baseUrl", async () => refused(connection(env, "path", { baseUrl: "https://a.example/api/v1" }))],
    ["an immutable field", async () => refused(connection(env, "default", { organizationId: NOWHERE }))],
    [
      "a UUID of nothing",
      async () => ready("InvalidSpec", environment(env, "of-nothing", "x", { projectRef: { externalId: NOWHERE } })),
    ],
    ["a reference to nothing", async () => ready("ParentNotFound", environment(env, "orphan", "nobody"))],
    [
      "a missing Secret",
      async () => ready("DependencyNotReady", application("no-secret", "ground", source("absent", "a"))),
    ],
    [
      "a missing key of a Secret",
      async () =>
        ready(
          "DependencyNotReady",
          secret("there", { a: "not-to-be-shown" }),
          application("no-key", "ground", source("there", "b")),
        ),
    ],
    [
      "the same name twice",
      async () => {
        await ready("Available", project("twice"));
        return ready("AlreadyManaged", project("twice-again", { name: "twice" }));
      },
    ],
    [
      "a rename on the documented surface",
      async () => {
        await ready("Available", project("renamed"));
        return ready("UpdateNotSupported", project("renamed", { name: "renamed-later" }));
      },
    ],
    [
      "the wrong connection",
      async () => ready("ConnectionNotReady", project("elsewhere", { connectionRef: { name: "nowhere" } })),
    ],
    ["the wrong host", async () => wrongConnection("host", "InvalidSpec", { baseUrl: "https://platform.invalid" })],
    ["the wrong organization", async () => wrongConnection("organization", "InvalidSpec", { organizationId: NOWHERE })],
    [
      "the wrong token",
      async () =>
        ready(
          "CredentialsInvalid",
          secret("token", { token: "not-a-token-of-the-platform" }),
          connection(env, "token"),
        ),
    ],
    [
      "the wrong scope",
      async () => {
        await wrongConnection("scope", "Available", {}, "read");
        return ready("PermissionDenied", project("scoped", { connectionRef: { name: "scope" } }));
      },
    ],
    [
      "pause, then delete",
      async () => {
        await env.ready(project("paused", { lifecycle: { deletionPolicy: "Delete" } }));
        await env.annotate("PlatformProject", "paused", { "platform-operator.io/paused": "true" });
        return deleted("PlatformProject", "paused", "Orphaned");
      },
    ],
    [
      "client-side beside server-side apply",
      async () => {
        await env.kubectl(["apply", "-f", "-"], { input: JSON.stringify(project("both")) });
        // The API server lets kubectl's own manager take over the fields of a client-side apply.
        return refused(project("both", { name: "other" }), "--server-side", "--field-manager=argocd");
      },
    ],
  ];

  it("each of the mistakes that are typical", async () => {
    const reported = await Promise.all(
      MISTAKES.map(async ([mistake, does]) => `# ${mistake}\n${(await does()).trim()}\n`),
    );
    const page = wrapped(normalized(reported.join("\n").replaceAll(env.namespace, "shop")));
    expect(page).not.toContain("not-to-be-shown");
    await expect(page).toMatchFileSnapshot(join(import.meta.dirname, "fixtures/mistakes.txt"));
  });
});

/** As a terminal of 120 columns shows it. */
function wrapped(text: string): string {
  const rows = text.split("\n").flatMap((line) => line.match(new RegExp(`.{1,${COLUMNS}}`, "g")) ?? [""]);
  return rows.map((row) => row.trimEnd()).join("\n");
}
