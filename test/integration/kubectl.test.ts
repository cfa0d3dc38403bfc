import { beforeAll, describe, expect, it } from "vitest";

import { RESOURCES } from "../../src/kinds/index.ts";
import type { Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { blueprint } from "../support/kube/manifests.ts";

const env = createEnv({ surface: "full" });

/** The quickstart as a person would pipe it in. */
const yaml = (manifests = env.quickstart()): string => manifests.map((each) => JSON.stringify(each)).join("\n---\n");
const piped = async (args: readonly string[], input = yaml()): Promise<readonly string[]> =>
  (await env.kubectl([...args, "-f", "-"], { input })).trim().split("\n");
/** Without the Secrets: kubectl may write those again. */
const custom = (): readonly Manifest[] => env.quickstart().filter(({ kind }) => kind !== "Secret");
const applications = (): number =>
  [...env.platform.world().services.values()].filter(({ kind }) => kind === "application").length;
const header = (table: string): readonly string[] => (table.split("\n")[0] ?? "").trim().split(/ {2,}/);
const namespaced = RESOURCES.filter(({ scope }) => scope === "Namespaced");

beforeAll(async () => {
  await piped(["apply"]);
  for (const { kind, metadata } of custom()) await env.waitFor(kind, metadata.name, { status: "True" });
  await env.settled();
});

describe("kubectl apply", () => {
  it("changes nothing the second time, on either side, and finds no difference to what the operator left", async () => {
    const record = await env.record();
    const applied = await piped(["apply"], yaml(custom()));
    expect(applied).toHaveLength(8);
    for (const line of applied) expect(line).toMatch(/ unchanged$/);
    expect(await piped(["diff"])).toEqual([""]);

    // The fields change their manager, once; nobody else holds one of them.
    for (const line of await piped(["apply", "--server-side"], yaml(custom()))) {
      expect(line).toMatch(/ serverside-applied$/);
    }
    const before = (await env.get("PlatformApplication", "api")).metadata;
    await piped(["apply", "--server-side"], yaml(custom()));
    expect((await env.get("PlatformApplication", "api")).metadata).toMatchObject({
      resourceVersion: before.resourceVersion,
      generation: 1,
    });
    expect(await piped(["diff", "--server-side"], yaml(custom()))).toEqual([""]);

    await env.settled();
    expect(record.changes()).toEqual([]);
    expect((await record.writes()).objects).toEqual([]);
  });

  it("keeps a null of the user's, which is sent, on the server's side, and leaves it out on the client's", async () => {
    const record = await env.record();
    const sent = () => record.calls("createBlueprint").map(({ body }) => body);
    const nullable = (name: string): string => JSON.stringify(blueprint(name, "staging", { specOverrides: null }));
    const onServer = ["apply", "--server-side", "--force-conflicts"];
    await piped(onServer, nullable("kept"));
    expect((await env.waitFor("PlatformBlueprint", "kept", { status: "True" })).spec).toMatchObject({
      specOverrides: null,
    });
    expect(sent()).toEqual([expect.objectContaining({ spec_overrides: null })]);
    await piped(["apply"], nullable("left-out"));
    const leftOut = await env.waitFor("PlatformBlueprint", "left-out", { status: "True" });
    expect(leftOut.spec).not.toHaveProperty("specOverrides");
    expect(sent()[1]).not.toHaveProperty("spec_overrides");
    await env.settled();
    // The operator's own patches have not taken it away, and a null that comes later means the same.
    for (const name of ["kept", "left-out"]) {
      await piped(onServer, nullable(name));
      expect((await env.get("PlatformBlueprint", name)).spec).toMatchObject({ specOverrides: null });
    }
    await env.settled();
    expect(record.changes()).toEqual(["createBlueprint", "createBlueprint"]);
    for (const name of ["kept", "left-out"]) await env.remove("PlatformBlueprint", name);
  });

  it("shows a difference that there is", async () => {
    const input = yaml().replace('"cpu":500', '"cpu":501');
    await expect(env.kubectl(["diff", "-f", "-"], { input })).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^- +cpu: 500\n\+ +cpu: 501$/m),
    });
  });
});

describe("kubectl get", () => {
  const columns = {
    platformconnections: [
      ["READY", "REASON", "SYNCED", "SURFACE", "SINCE", "PAUSED", "AGE"],
      ["ORG", "BASE-URL", "MESSAGE"],
    ],
    platformprojects: [
      ["READY", "REASON", "DRIFTED", "PAUSED", "AGE"],
      ["REMOTE-ID", "MESSAGE"],
    ],
    platformenvironments: [
      ["READY", "REASON", "PROJECT", "MODE", "DRIFTED", "PAUSED", "AGE"],
      ["CLUSTER", "REMOTE-ID", "MESSAGE"],
    ],
    platformapplications: [
      ["READY", "REASON", "STATE", "COMMIT", "SINCE", "DRIFTED", "PAUSED", "AGE"],
      ["ENV", "DEPLOYED", "INGRESS", "NEXT", "NEXT-AT", "REMOTE-ID", "MESSAGE"],
    ],
    platformbindings: [
      ["READY", "REASON", "TEMPLATE", "VERSION", "LAYERS", "DRIFTED", "PAUSED", "AGE"],
      ["CLUSTER", "MESSAGE"],
    ],
    platformcatalogs: [["READY", "REASON", "TEMPLATES", "CONFIGMAP", "PAUSED", "AGE"], ["MESSAGE"]],
  };

  it("has its columns for each kind, and more of them with -o wide", async () => {
    const tables = await env.kubectl(["get", Object.keys(columns).join(","), "-o", "wide"]);
    const wide = tables.split("\n\n").map(header);
    for (const [index, [plural, [short, more]]] of Object.entries(columns).entries()) {
      const table = await env.kubectl(["get", plural]);
      const narrow = header(table);
      expect(narrow, plural).toEqual(["NAME", ...(short ?? [])]);
      expect(Math.max(...table.split("\n").map(({ length }) => length)), plural).toBeLessThanOrEqual(120);
      expect(wide[index], plural).toEqual(expect.arrayContaining([...narrow, ...(more ?? [])]));
      expect(narrow.filter((column) => more?.includes(column))).toEqual([]);
    }
  });

  it("shows the version of a template that is bound, while the spec names one that is not offered", async () => {
    const versioned = (version: string) => ({ spec: { template: { version } } });
    await env.patch("PlatformBinding", "essentials", versioned("9.9.9"));
    await env.waitFor("PlatformBinding", "essentials", { reason: "TemplateNotAvailable" });
    expect(await env.kubectl(["get", "pbind"])).toMatch(
      /^essentials +False +TemplateNotAvailable +kubernetes-essentials +1\.2\.0 /m,
    );
    await env.patch("PlatformBinding", "essentials", versioned("1.2.0"));
    await env.waitFor("PlatformBinding", "essentials", { status: "True" });
  });

  it("knows every kind by its short name, and the namespaced ones by their category", async () => {
    const [, ...rows] = (await env.kubectl(["api-resources", "--api-group=platform-operator.io", "-o", "wide"]))
      .trim()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    const known = rows.map(([name, short, , isNamespaced, kind, , categories]) => ({
      name,
      short,
      isNamespaced,
      kind,
      categories,
    }));
    const declared = RESOURCES.map(({ plural, shortNames, scope, kind }) => ({
      name: plural,
      short: shortNames.join(","),
      isNamespaced: String(scope === "Namespaced"),
      kind,
      categories: scope === "Namespaced" ? "platform" : "",
    }));
    expect(known).toHaveLength(declared.length);
    expect(known).toEqual(expect.arrayContaining(declared));
    const names = async (what: string): Promise<string> => env.kubectl(["get", what, "-o", "name"]);
    expect(await names("papp")).toBe(await names("platformapplications"));
  });

  it("finds by a field what has it", async () => {
    const selector = "spec.environmentRef.name=staging";
    expect(await env.kubectl(["get", "papp", "--field-selector", selector, "-o", "name"])).toBe(
      "platformapplication.platform-operator.io/api\n",
    );
  });
});

describe("kubectl wait", () => {
  it("waits for a condition and for a state", async () => {
    const wait = ["wait", "--timeout=5s", "papp/api"];
    expect(await env.kubectl([...wait, "--for=condition=Deployed"])).toContain("condition met");
    expect(await env.kubectl([...wait, "--for=jsonpath={.status.state}=DEPLOYED"])).toContain("condition met");
    expect(await env.kubectl([...wait, "--for=condition=Ready=True"])).toContain("condition met");
    await expect(env.kubectl(["wait", "--timeout=1s", "papp/api", "--for=condition=Stalled"])).rejects.toThrow(
      /timed out/,
    );
  });
});

describe("kubectl describe and events", () => {
  it("report what happened to an object", async () => {
    const described = await env.kubectl(["describe", "papp", "api"]);
    expect(described).toMatch(/Reason: +Deployed/);
    expect(described).toMatch(/Git Commit Id: +1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d/);
    expect(described).toMatch(
      /Events:[^]*Normal +Deployed +\S+( \(\S+ over \S+\))? +platform-operator +Commit 1a2b3c4 was deployed in \d+ s\./,
    );
    expect(described).not.toContain("not-a-real-password");
    const events = await env.kubectl(["events", "--for", "papp/api"]);
    expect(events).toMatch(/Normal +Deployed +PlatformApplication\/api +Commit 1a2b3c4 was deployed in \d+ s\./);
  });
});

describe("kubectl delete", () => {
  it("takes everything away in any order and at once, and leaves the platform as it is", async () => {
    const record = await env.record();
    const lines = await piped(["delete", "--wait=true", "--timeout=20s"]);
    expect(lines).toHaveLength(env.quickstart().length);
    for (const line of lines) expect(line).toMatch(/ deleted/);
    for (const { kind } of namespaced) expect(await env.list(kind), kind).toEqual([]);
    await env.settled();
    expect(record.changes()).toEqual([]);
    expect(applications()).toBe(2);
  });

  it("and apply finds what is there, by its name, and deploys nothing again", async () => {
    // The garbage collector's work; there is none here.
    await env.remove("ConfigMap", "catalog-catalog");
    const record = await env.record();
    await piped(["apply"]);
    const wait = ["wait", "--for=condition=Ready", "--timeout=20s", "--all"];
    const applied = new Set(env.quickstart().map(({ kind }) => kind));
    for (const { kind, plural } of namespaced) if (applied.has(kind)) await env.kubectl([...wait, plural]);
    await env.settled();
    expect(
      record.changes().filter((operation) => operation.startsWith("create") || operation.startsWith("deploy")),
    ).toEqual([]);
    expect(env.platform.world().projects.size).toBe(1);
    expect(applications()).toBe(2);
  });
});
