import { beforeAll, describe, expect, it } from "vitest";

import type { Scope } from "../../simulator/request/jwt.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { calm, eventsOf, expectSettled, TREE, versions } from "../support/env/settling.ts";
import { connection, project, secret, tree } from "../support/kube/manifests.ts";

/** How long a connection may take to notice that its Secret was corrected. */
const RECOVERY_MS = 10_000;

describe.each(effort.few(["Token", "Bearer"] as const))("a token with the scheme %s", (scheme) => {
  const env = createEnv({ surface: "full" });
  const hour = 3_600;

  /** A token that `spoil` makes worthless. */
  const fresh = (): string => {
    const { auth, ids } = env.platform.sim;
    const { organizationId } = env.platform;
    const scopes: Scope[] = ["Admin"];
    if (scheme === "Bearer") return auth.issueJwt({ subject: "ann", organizationId, scopes }, hour);
    return auth.createToken({ name: `token ${ids.hex(4)}`, organizationId, scopes }).value;
  };
  const spoil = (): void => {
    const { auth, time } = env.platform.sim;
    if (scheme === "Bearer") time.shiftWall(2 * hour);
    else for (const { name } of auth.tokens()) auth.revoke(name);
  };

  beforeAll(async () => {
    const auth = { scheme, tokenSecretRef: { name: "default" } };
    await env.apply(
      secret("default", { token: fresh() }),
      connection(env, "default", { auth }),
      ...tree(env, "steady"),
    );
    await expectSettled(env, "steady");
  });

  it("[C6] that the platform answers with 401 is reported once, tried at most once a minute, and replaced within ten seconds of the Secret's correction", async () => {
    await calm(env);
    const statuses = () => Promise.all(TREE.map(async (kind) => (await env.get(kind, "steady")).status));
    const [before, statusesBefore] = [await versions(env, "steady"), await statuses()];
    spoil();
    const says = 'rejected the token from Secret "default" key "token"';
    const found = await env.stalled("PlatformConnection", "default", "CredentialsInvalid", says);
    expect(condition(found, "Reconciling")).toBeUndefined();

    await env.apply(project("late"));
    const late = await env.waitFor("PlatformProject", "late", { reason: "ConnectionNotReady" });
    expect(condition(late, "Reconciling")).toMatchObject({ status: "True" });
    const record = await env.record();
    // Many poll intervals; how rarely it is probed is seen over hours in src/engine/engine-connection.test.ts.
    await env.quiet(3);
    expect(record.calls().length, "calls with a token that was rejected").toBeLessThanOrEqual(1);
    expect(await versions(env, "steady")).toEqual(before);

    await env.apply(secret("default", { token: fresh() }));
    await env.waitFor("PlatformConnection", "default", { status: "True" }, RECOVERY_MS);
    await env.waitFor("PlatformProject", "late", { status: "True" });
    expect(record.changes()).toEqual(["createProject"]);
    // The new token signs their ids again, in the annotations.
    expect(await statuses()).toEqual(statusesBefore);
  });

  it("[E6] appears in no status, no event and no line of the log", async () => {
    const token = fresh();
    await env.apply(secret("default", { token }));
    await env.waitFor("PlatformConnection", "default", { status: "True" });
    const shown = await env.kubectl(["get", "platform,events", "-o", "json"]);
    expect(shown).not.toContain(token);
    expect(JSON.stringify(env.operator.logs())).not.toContain(token);
  });

  /** Of the connection "own", beside the one that the tests before have used. */
  describe.runIf(scheme === "Token")("[K1] a connection whose Secret", () => {
    it.each([
      ["does not exist", undefined, /Secret "own" in namespace "stage-.*" does not exist/],
      ["lacks the key", { other: "x" }, /Secret "own" in namespace "stage-.*" has no key "token"/],
      ["holds a line break", { token: "abc\ndef" }, /.*/],
    ] as const)(
      "%s reports that, and is Ready within ten seconds of the Secret's correction",
      async (what, data, message) => {
        const name = what.replaceAll(" ", "-");
        if (data !== undefined) await env.apply(secret("own", data));
        await env.apply(connection(env, "own"), project(name, { connectionRef: { name: "own" } }));
        const found = await env.waitFor("PlatformConnection", "own", { status: "False" });
        expect(condition(found, "Ready")?.message).toMatch(message);
        expect(condition(found, "Stalled")).toMatchObject({ status: "True" });
        await env.apply(secret("own", { token: fresh() }));
        await env.waitFor("PlatformConnection", "own", { status: "True" }, RECOVERY_MS);
        await env.waitFor("PlatformProject", name, { status: "True" });
        await env.remove("PlatformConnection", "own");
        await env.remove("Secret", "own");
      },
    );
  });
});

describe("a wrong token in the Secret, while the token before it still works,", () => {
  const env = createEnv({ surface: "documented", windows: { pollMs: 2_000 } });
  const put = (token: string) => env.apply(secret("default", { token }));

  beforeAll(async () => {
    await env.apply(
      secret("default", { token: env.platform.tokens.admin }),
      connection(env, "default"),
      project("shop"),
    );
    await env.waitFor("PlatformProject", "shop", { status: "True" });
  });

  it("is told on the connection at its next probe", async () => {
    await put("mistyped");
    const says = 'The platform rejected the token from Secret "default" key "token"';
    await env.stalled("PlatformConnection", "default", "CredentialsInvalid", says);
    await put(env.platform.tokens.admin);
    const ready = await env.waitFor("PlatformConnection", "default", { status: "True" }, RECOVERY_MS);
    expect(condition(ready, "Stalled")).toBeUndefined();
  });

  it("that belongs to another organization is called that, and resources name the connection", async () => {
    const { auth, ids } = env.platform.sim;
    const { value } = auth.createToken({ name: "foreign", organizationId: ids.uuid(), scopes: ["Admin"] });
    await put(value);
    const says = 'The platform does not let the token from Secret "default" key "token"';
    const found = await env.stalled("PlatformConnection", "default", "PermissionDenied", says);
    const { message = "" } = condition(found, "Stalled") ?? {};
    expect(message).toContain(`use organization ${env.platform.organizationId} (403)`);
    expect(message).toContain("The token belongs to another organization");
    await env.apply(project("late"));
    const late = await env.waitFor("PlatformProject", "late", { reason: "ConnectionNotReady" });
    expect(condition(late, "Ready")?.message).toMatch(/PlatformConnection ".*default" \(reason PermissionDenied\)/);
  });
});

describe("[K1] a namespace whose token was revoked before the operator noticed", () => {
  const env = createEnv({ surface: "full", windows: { pollMs: 60_000 } });

  it("keeps its deleted resources until the token is replaced, and then their objects are deleted", async () => {
    const { auth } = env.platform.sim;
    const { organizationId } = env.platform;
    const { value } = auth.createToken({ name: "doomed", organizationId, scopes: ["Admin"] });
    await env.apply(
      secret("default", { token: value }),
      connection(env, "default"),
      ...tree(env, "left", { lifecycle: { deletionPolicy: "Delete" } }),
    );
    const left = await expectSettled(env, "left");
    await calm(env);
    auth.revoke("doomed");
    const record = await env.record();
    const all = left.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    await env.kubectl(["delete", "--wait=false", "platformconnection/default", ...all]);
    const blocked = await env.stalled("PlatformApplication", "left", "DeletionBlocked");
    expect(condition(blocked, "Stalled")?.message).toContain("rejected the token");
    expect(await eventsOf(env, "left", "Orphaned")).toEqual([]);
    expect(record.changeCalls().filter(({ status }) => status !== 401)).toEqual([]);
    const renewed = auth.createToken({ name: "renewed", organizationId, scopes: ["Admin"] }).value;
    await env.apply(secret("default", { token: renewed }));
    for (const { kind, metadata } of left) await env.waitGone(kind, metadata.name);
    await env.waitGone("PlatformConnection", "default");
    const { projects, environments, services } = env.platform.world();
    expect({ projects: projects.size, environments: environments.size, services: services.size }).toEqual({
      projects: 0,
      environments: 0,
      services: 0,
    });
  });
});
