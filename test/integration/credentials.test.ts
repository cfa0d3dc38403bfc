import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { condition } from "../support/env/cluster.ts";
import { createStage } from "../support/env/env.ts";
import { calm, eventsOf, expectSettled, idOf, versions } from "../support/env/settling.ts";
import { connection, project, secret, tree } from "../support/kube/manifests.ts";

/** How long a connection may take to notice that its Secret was mended (docs/reliability.md C6). */
const RECOVERY_MS = 10_000;

const schemes = [
  { what: "a revoked API token", scheme: "Token", message: /rejected the token from Secret "default" key "token"/ },
  { what: "an expired JWT", scheme: "Bearer", message: /rejected the token from Secret "default" key "token"/ },
] as const;

describe.each(schemes)("[C6] 401: $what", ({ scheme, message }) => {
  const stage = createStage({ surface: "full" });
  const hour = 3_600;

  /** A token that `spoil` makes worthless. */
  const fresh = (): string => {
    const { auth, ids } = stage.platform.sim;
    const { organizationId } = stage.platform;
    if (scheme === "Bearer") return auth.issueJwt({ subject: "ann", organizationId, scopes: ["Admin"] }, hour);
    return auth.createToken({ name: `token ${ids.hex(4)}`, organizationId, scopes: ["Admin"] }).value;
  };
  const spoil = (): void => {
    const { auth, time } = stage.platform.sim;
    if (scheme === "Bearer") time.shiftWall(2 * hour);
    else for (const { name } of auth.tokens()) auth.revoke(name);
  };

  it(
    "is told once, probed at most once a minute, and over within ten seconds of the Secret's mending",
    { timeout: 90_000 },
    async () => {
      const auth = { scheme, tokenSecretRef: { name: "default" } };
      await stage.apply(
        secret("default", { token: fresh() }),
        connection(stage, "default", { auth }),
        ...tree(stage, "steady"),
      );
      await expectSettled(stage, "steady");
      await calm(stage);
      const before = await versions(stage, "steady");
      spoil();
      const told = await stage.waitFor("PlatformConnection", "default", { reason: "CredentialsInvalid" });
      expect(condition(told, "Ready")).toMatchObject({ status: "False", message: expect.stringMatching(message) });
      expect(condition(told, "Stalled")).toMatchObject({ status: "True", reason: "CredentialsInvalid" });
      expect(condition(told, "Reconciling")).toBeUndefined();

      await stage.apply(project("late"));
      const late = await stage.waitFor("PlatformProject", "late", { reason: "ConnectionNotReady" });
      expect(condition(late, "Reconciling")).toMatchObject({ status: "True" });
      const record = await stage.record();
      // Twice as long as the Secret is left unread, and many poll intervals.
      await sleep(2 * RECOVERY_MS);
      expect(record.calls().length, "calls with a token that was rejected").toBeLessThanOrEqual(1);
      expect(await versions(stage, "steady")).toEqual(before);

      await stage.apply(secret("default", { token: fresh() }));
      await stage.waitFor("PlatformConnection", "default", { status: "True" }, RECOVERY_MS);
      await stage.waitFor("PlatformProject", "late", { status: "True" });
      expect(record.changes()).toEqual(["createProject"]);
      expect(await versions(stage, "steady")).toEqual(before);
    },
  );

  it("[E6] never shows the token, neither in a status nor in an event nor in the log", async () => {
    const token = fresh();
    await stage.apply(secret("default", { token }));
    await stage.waitFor("PlatformConnection", "default", { status: "True" });
    const shown = await stage.kubectl(["get", "platform,events", "-o", "json"]);
    expect(shown).not.toContain(token);
    expect(JSON.stringify(stage.operator.logs())).not.toContain(token);
  });
});

describe("[K1] the Secret of a connection", () => {
  const stage = createStage({ surface: "documented" });

  it.each([
    ["does not exist", undefined, /Secret "default" in namespace "stage-.*" does not exist/],
    ["lacks the key", { other: "x" }, /Secret "default" in namespace "stage-.*" has no key "token"/],
    ["holds a line break", { token: "abc\ndef" }, /.*/],
  ] as const)("that %s is told, and recovered from within ten seconds", async (what, data, message) => {
    const name = what.replaceAll(" ", "-");
    if (data !== undefined) await stage.apply(secret("default", data));
    await stage.apply(connection(stage, "default"), project(name));
    const told = await stage.waitFor("PlatformConnection", "default", { status: "False" });
    expect(condition(told, "Ready")?.message).toMatch(message);
    expect(condition(told, "Stalled")).toMatchObject({ status: "True" });
    await stage.apply(secret("default", { token: stage.platform.tokens.admin }));
    await stage.waitFor("PlatformConnection", "default", { status: "True" }, RECOVERY_MS);
    await stage.waitFor("PlatformProject", name, { status: "True" });
    await stage.remove("PlatformConnection", "default");
    await stage.remove("Secret", "default");
  });
});

describe("[K1] a namespace whose token was revoked before anybody noticed", () => {
  const stage = createStage({ surface: "full", windows: { pollMs: 60_000 } });

  it("empties all the same, and the events name what stays on the platform", async () => {
    const { auth } = stage.platform.sim;
    const { organizationId } = stage.platform;
    const { value } = auth.createToken({ name: "doomed", organizationId, scopes: ["Admin"] });
    await stage.apply(
      secret("default", { token: value }),
      connection(stage, "default"),
      ...tree(stage, "left", { lifecycle: { deletionPolicy: "Delete" } }),
    );
    const ids = (await expectSettled(stage, "left")).map(idOf);
    await calm(stage);
    auth.revoke("doomed");
    const record = await stage.record();
    await stage.remove("PlatformConnection", "default");
    await stage.remove("Secret", "default");
    const kinds = ["PlatformProject", "PlatformEnvironment", "PlatformApplication"];
    for (const kind of kinds) await stage.remove(kind, "left");
    for (const kind of kinds) await stage.waitGone(kind, "left", 30_000);
    const told = (await eventsOf(stage, "left", "Orphaned")).join("\n");
    for (const id of ids) expect(told).toContain(id);
    expect(told).toContain("The platform rejected the token (401).");
    const { projects, environments, services } = stage.platform.world();
    expect([projects.size, environments.size, services.size]).toEqual([1, 1, 1]);
    expect(record.changeCalls().every(({ status }) => status === 401)).toBe(true);
  });
});
