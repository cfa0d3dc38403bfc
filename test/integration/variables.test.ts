/** Variables of applications and variable sets that people change on the platform and in specs. */
import { beforeAll, describe, expect, it } from "vitest";

import { addForeignVariable } from "../../simulator/control/control.ts";
import { removeVariable } from "../../simulator/model/variables.ts";
import type { Variable } from "../../simulator/model/world.ts";
import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { calm, idOf } from "../support/env/settling.ts";
import { application, COMMIT, resource, secret } from "../support/kube/manifests.ts";
import { fixture } from "./fixture.ts";

const KIND = "PlatformApplication";
const REQUEST = "platform-operator.io/reconcile-requested-at";

describe.each(["documented", "full"] as const)("a variable of an application on the %s surface", (surface) => {
  const env = createEnv({ surface });
  const isFull = surface === "full";

  /** The application's own variables on the platform, as "NAME=value", those of secrets with a mark. */
  const shown = async (name: string): Promise<readonly string[]> => {
    const id = idOf(await env.get(KIND, name));
    return own(id)
      .map(({ key, value, secret: isSecret }) => `${key}=${isSecret ? "(secret) " : ""}${value}`)
      .toSorted();
  };
  const own = (id: string): readonly Variable[] =>
    [...env.platform.world().variables.values()].filter((one) => one.parentId === id && one.scope === "APPLICATION");
  const find = async (name: string, key: string): Promise<Variable> => {
    const found = own(idOf(await env.get(KIND, name))).find((one) => one.key === key);
    if (found === undefined) throw new Error(`the platform has no variable ${key} of ${name}`);
    return found;
  };
  const ready = async (name: string, spec: JsonObject): Promise<void> => {
    await env.ready(application(name, "staging", spec));
    await calm(env);
  };
  const edit = (name: string, variables: readonly JsonObject[]) => env.patch(KIND, name, { spec: { variables } });
  const synced = (object: KubeObject) => condition(object, "VariablesSynced");
  const plain = (name: string, value: string) => ({ name, value });
  const fromSecret = (name: string, change: JsonObject = {}) => ({
    name,
    valueFrom: { secretKeyRef: { name: "values", key: "value" } },
    ...change,
  });

  beforeAll(async () => {
    await fixture(env);
    await env.apply(secret("values", { value: "from-the-secret" }));
  });

  describe("that a person changes on the platform", () => {
    it("is sent again and deployed once under the policy Correct", async () => {
      await ready("removed", { variables: [plain("LOG_LEVEL", "info")], lifecycle: { driftPolicy: "Correct" } });
      const record = await env.record();
      removeVariable(env.platform.sim, await find("removed", "LOG_LEVEL"));
      await env.waitFor(KIND, "removed", (one) => synced(one)?.status === "True" && record.changes().length === 2);
      await calm(env);
      await env.waitFor(KIND, "removed", { status: "True" });
      expect(await shown("removed")).toEqual(["LOG_LEVEL=info"]);
      expect(record.changes()).toEqual(["importEnvironmentVariable", "deployApplication"]);
    });

    it("is named and not sent under the policy Report, and the application is not Ready", async () => {
      const variables = [plain("LOG_LEVEL", "info"), plain("MODE", "fast")];
      await ready("reported", { variables, lifecycle: { driftPolicy: "Report" } });
      const record = await env.record();
      removeVariable(env.platform.sim, await find("reported", "LOG_LEVEL"));
      const object = await env.waitFor(KIND, "reported", { status: "False", reason: "VariablesPending" });
      expect(synced(object)).toMatchObject({ status: "False", message: "LOG_LEVEL: is missing on the platform." });
      expect(condition(object, "Drifted")).toMatchObject({ status: "True" });
      expect(object.status).toMatchObject({
        drift: { fields: [{ path: "spec.variables[LOG_LEVEL]", observed: "missing" }] },
      });
      await calm(env);
      expect(record.changes()).toEqual([]);
    });

    it("is not compared while a list fails, and the condition says so", async () => {
      await ready("unread", { variables: [plain("LOG_LEVEL", "info")], lifecycle: { driftPolicy: "Correct" } });
      const record = await env.record();
      const id = idOf(await env.get(KIND, "unread"));
      const match = { operation: "listApplicationVariables", path: `/application/${id}/*` };
      env.platform.sim.faults.add({ match, answer: { is: "status", status: 500 }, count: null });
      await env.annotate(KIND, "unread", { [REQUEST]: "1" });
      const isUnknown = (one: KubeObject) => synced(one)?.status === "Unknown";
      expect(synced(await env.waitFor(KIND, "unread", isUnknown))).toMatchObject({ reason: "PlatformUnavailable" });
      expect(record.changes()).toEqual([]);
      env.platform.sim.faults.clear();
    });
  });

  describe("that leaves the spec", () => {
    it("is removed and deployed once, or named where the surface removes none", async () => {
      await ready("leaving", { variables: [plain("A", "1"), plain("B", "2")] });
      const parentId = idOf(await env.get(KIND, "leaving"));
      addForeignVariable(env.platform.sim, { parentId, scope: "APPLICATION", key: "THEIRS", value: "theirs" });
      await calm(env);
      const record = await env.record();
      await edit("leaving", [plain("A", "1")]);
      const object = await env.waitFor(KIND, "leaving", (one) =>
        isFull ? record.changes().includes("deployApplication") : synced(one)?.reason === "VariablesLeft",
      );
      await calm(env);
      const left = isFull ? ["A=1", "THEIRS=theirs"] : ["A=1", "B=2", "THEIRS=theirs"];
      expect(await shown("leaving")).toEqual(left);
      expect(record.changes()).toEqual(isFull ? ["deleteApplicationVariable", "deployApplication"] : []);
      const message =
        "Not declared any more, and not removed, as the platform's surface cannot: B. Remove them on the platform.";
      expect(synced(object)?.message).toBe(isFull ? "All variables are on the platform." : message);
      await env.waitFor(KIND, "leaving", { status: "True" });
    });

    it("is replaced by one of another name with one deployment", async () => {
      await ready("renamed", { variables: [plain("A", "1"), plain("KEPT", "1")] });
      const record = await env.record();
      await edit("renamed", [plain("C", "1"), plain("KEPT", "1")]);
      await env.waitFor(KIND, "renamed", () => record.changes().includes("deployApplication"));
      await env.waitFor(KIND, "renamed", { status: "True" });
      await calm(env);
      const removal = isFull ? ["deleteApplicationVariable"] : [];
      expect(record.changes()).toEqual(["importEnvironmentVariable", ...removal, "deployApplication"]);
      expect(await shown("renamed")).toEqual(isFull ? ["C=1", "KEPT=1"] : ["A=1", "C=1", "KEPT=1"]);
    });
  });

  describe("that changes its kind", () => {
    it("from a secret to a plain variable is replaced and deployed once, or the condition says why not", async () => {
      await ready("opened", { variables: [fromSecret("FOO")] });
      const record = await env.record();
      await edit("opened", [fromSecret("FOO", { secret: false })]);
      const object = await env.waitFor(KIND, "opened", (one) =>
        isFull
          ? record.changes().includes("deployApplication") && synced(one)?.status === "True"
          : condition(one, "Ready")?.reason === "VariablesPending",
      );
      await calm(env);
      expect(await shown("opened")).toEqual([isFull ? "FOO=from-the-secret" : "FOO=(secret) from-the-secret"]);
      const all = ["deleteApplicationSecret", "importEnvironmentVariable", "deployApplication"];
      expect(record.changes()).toEqual(isFull ? all : ["importEnvironmentVariable"]);
      const message =
        "FOO: exists there as a secret, which is not replaced; remove it on the platform, and it is sent again.";
      expect(synced(object)?.message).toBe(isFull ? "All variables are on the platform." : message);
    });
  });

  it("that the platform does not take leaves the application not Ready, and its commit is deployed", async () => {
    env.platform.sim.settings.refusedVariables = ["REFUSED"];
    await env.apply(application("refused", "staging", { variables: [plain("REFUSED", "1"), plain("TAKEN", "1")] }));
    const object = await env.waitFor(KIND, "refused", { status: "False", reason: "VariablesPending" });
    expect(object.status).toMatchObject({ commit: COMMIT.slice(0, 7) });
    expect(synced(object)?.message).toContain("REFUSED: was not taken by the platform");
    expect(await shown("refused")).toEqual(["TAKEN=1"]);
    env.platform.sim.settings.refusedVariables = [];
  });

  it("is one of sixty, some of them empty, with special characters and of 64 KiB, and a restart sends none again", async () => {
    const values = ["", "$HOME ${PATH} $$", "first\nsecond\r\n", "ü \u{1F600} \"'\\"];
    const variables = Array.from({ length: 59 }, (_, at) => plain(`VALUE_${at}`, values[at] ?? `value ${at}`));
    const long = "x".repeat(65_536);
    await env.apply(secret("long", { value: long }));
    const fromLong = { name: "LONG", secret: false, valueFrom: { secretKeyRef: { name: "long", key: "value" } } };
    await ready("sixty", { variables: [...variables, fromLong] });
    const expected = [...variables, plain("LONG", long)].map(({ name, value }) => `${name}=${value}`);
    expect(await shown("sixty")).toEqual(expected.toSorted());
    const record = await env.record();
    await env.stop();
    await env.start();
    await env.annotate(KIND, "sixty", { [REQUEST]: "1" });
    await calm(env);
    await env.waitFor(KIND, "sixty", { status: "True" });
    expect(record.changes()).toEqual([]);
  });
});

describe("a variable set for twenty applications", () => {
  const env = createEnv({ surface: "full" });
  const names = Array.from({ length: 20 }, (_, at) => `app-${at}`);
  const undeployed = { deploy: undefined };

  beforeAll(async () => {
    await fixture(env);
    await env.apply(...names.map((name) => application(name, "staging", undeployed)));
    for (const name of names) await env.waitFor(KIND, name, { status: "True" });
  });

  it("restores a variable that a person removed from one of them, and removes its variables from all", async () => {
    const set = resource("PlatformVariableSet", "common", {
      targets: names.map((name) => ({ applicationRef: { name } })),
      variables: [
        { name: "TZ", value: "UTC" },
        { name: "MODE", value: "fast" },
      ],
      lifecycle: { driftPolicy: "Correct" },
    });
    await env.ready(set);
    const keys = () => [...env.platform.world().variables.values()].filter(({ scope }) => scope === "APPLICATION");
    expect(keys()).toHaveLength(40);
    const [one] = keys();
    if (one !== undefined) removeVariable(env.platform.sim, one);
    await env.annotate("PlatformVariableSet", "common", { [REQUEST]: "1" });
    await expect.poll(() => keys().length, { timeout: 20_000 }).toBe(40);
    await env.patch("PlatformVariableSet", "common", { spec: { variables: [{ name: "TZ", value: "UTC" }] } });
    await expect.poll(() => keys().map(({ key }) => key), { timeout: 30_000 }).toEqual(names.map(() => "TZ"));
  });
});
