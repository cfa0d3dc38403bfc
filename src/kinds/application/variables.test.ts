import { describe, expect, it } from "vitest";

import { resolvedNeeds } from "../../../test/support/kinds/kind-runner.ts";
import { contextWith, inputsWith, print, observedIn, specOf } from "../../../test/support/services/applications.ts";
import { platformApplication, type ApplicationMemory } from "./crd.ts";
import type { Observed } from "./model.ts";
import {
  imported,
  inputVariables,
  isImportDue,
  keepSentSecrets,
  pendingVariables,
  prepareImport,
} from "./variables.ts";

describe("the variables of an application", () => {
  it("have one fingerprint of all, and one of each secret", () => {
    const closed = { name: "CLOSED", value: "x", secret: true };
    const token = { name: "TOKEN", valueFrom: { secretKeyRef: { name: "s", key: "k" } } };
    const spec = specOf({ variables: [token, { name: "MODE", value: "fast" }, closed] });
    const values = { "spec.variables[TOKEN]": "hush" };
    const resolved = resolvedNeeds({ ids: {}, values }, (content) => print(JSON.stringify(content)));
    const { variables, fingerprint, secrets } = inputVariables(spec, resolved);
    const content = variables.map(({ name, value, isSecret }) => [name, value, isSecret]);
    expect(fingerprint).toEqual(print(JSON.stringify(content)));
    expect(Object.fromEntries(secrets)).toEqual({ CLOSED: '["CLOSED","x"]', TOKEN: '["TOKEN","hush"]' });
  });

  const variables = [
    { name: "A", value: "1", isSecret: false },
    { name: "B", value: "2", isSecret: true },
  ];
  const inputs = inputsWith(variables, print("now"));

  it("wait to be replaced where an import of the same content left them out", () => {
    const memory = (digest: string) => ({ written: { variables: print(digest), variableNames: ["A"] } });
    const pending = (digest: string) => pendingVariables(contextWith({ inputs, memory: memory(digest) }));
    expect([pending("now"), pending("old")]).toEqual([variables.slice(1), []]);
  });

  const at = "2026-11-21T10:00:00.000Z";
  const step = { what: "import" } as const;
  const secretAt = (key: string, createdAt: string, updatedAt = createdAt) => ({ id: key, key, createdAt, updatedAt });
  const listed = (...names: string[]) =>
    observedIn("READY", { serverNow: new Date(at), secrets: names.map((key) => secretAt(key, at)) });
  /** The digest of a value is the value itself. */
  const sent = (digest: string) => ({ sentSecrets: [{ key: "B", digest, at }] });

  const recently = { attempts: 1, sentAt: "2026-11-21T09:59:57.000Z" };
  const inherited = observedIn("READY", { secrets: [{ id: "B", key: "B", scope: "ENVIRONMENT" }] });
  const asked = { requested: "now" };

  it.each<[string, Parameters<typeof contextWith>[0], ApplicationMemory["written"], Observed, boolean]>([
    ["the platform lists no secret of the name", {}, {}, listed(), true],
    ["it lists one, which an import may not replace", {}, {}, listed("B"), false],
    ["it lists one of the environment", {}, {}, inherited, true],
    ["its list was not read", {}, {}, observedIn("READY"), false],
    ["they were sent a moment ago", {}, recently, listed(), false],
    ["the user asks for it, whatever is listed", asked, {}, listed("B"), true],
    ["the user asked a moment ago", asked, recently, listed(), false],
    ["they were sent in this reconcile", asked, {}, { ...listed(), imported: true }, false],
  ])("that an import left out are sent again or not when %s", (_, change, known, observed, expected) => {
    const memory = { written: { variables: print("now"), variableNames: ["A"], ...known } };
    expect(isImportDue(contextWith({ inputs, memory, ...change }), observed)).toBe(expected);
  });

  it.each<[string, ApplicationMemory["written"], Observed, ApplicationMemory["written"]]>([
    ["is noted", {}, listed(), sent("2")],
    ["that is there is not", {}, listed("B"), undefined],
    ["is noted again, as it may not have landed", sent("2"), listed(), sent("2")],
    ["is not, while another value may land", sent("old"), listed(), undefined],
    ["is not where no list was read", {}, observedIn("READY"), undefined],
  ])("before an import a secret %s", (_, known, observed, expected) => {
    const context = contextWith({ inputs, surface: "Documented", memory: { written: known } });
    expect(prepareImport(step, context, observed)?.written).toEqual(expected);
  });

  it("needs no note where secrets can be replaced, nor before another step", () => {
    expect(prepareImport(step, contextWith({ inputs, surface: "Full" }), listed())).toBeUndefined();
    expect(prepareImport({ what: "update" }, contextWith({ inputs, surface: "Documented" }), listed())).toBeUndefined();
  });

  it("is kept with the record of the id, and read back as if it was in the status", () => {
    const { memory } = platformApplication;
    const noted = prepareImport(step, contextWith({ inputs, surface: "Documented" }), listed()) ?? {};
    expect(memory.parse(keepSentSecrets(noted)).written).toEqual(sent("2"));
    expect(keepSentSecrets({ written: { settings: { port: "80" } } })).toBeUndefined();
    expect(keepSentSecrets({})).toBeUndefined();
  });

  const secrets = (digest: string) => ({ secrets: [{ key: "B", digest }] });
  const edited = observedIn("READY", { secrets: [secretAt("B", at, "2026-11-21T10:00:09Z")] });
  const beside = observedIn("READY", { secrets: [secretAt("B", "2026-11-20T10:00:00Z"), secretAt("B", at)] });
  it.each<[string, ApplicationMemory["written"], Observed, readonly string[], readonly string[]]>([
    ["was taken over", {}, listed(), ["A", "B"], ["A", "B"]],
    ["is there with another value", secrets("old"), listed("B"), ["A"], ["A"]],
    ["is there as it was sent before", secrets("2"), listed("B"), ["A"], ["A", "B"]],
    ["was made by an import without an answer", sent("2"), listed("B"), ["A"], ["A", "B"]],
    ["was made so beside one of the environment", sent("2"), beside, ["A"], ["A", "B"]],
    ["was made by an import of another value", sent("old"), listed("B"), ["A"], ["A"]],
    ["was made then and changed since", sent("2"), edited, ["A"], ["A"]],
  ])("is known after an import when it %s", (_, known, observed, taken, expected) => {
    const context = contextWith({ inputs, surface: "Documented", memory: { written: known } });
    const { sentSecrets, ...result } = imported(context, observed, taken);
    expect(sentSecrets).toBeUndefined();
    expect(result.variableNames).toEqual(expected);
    expect(result.secrets).toEqual(expected.includes("B") ? secrets("2").secrets : undefined);
  });
});
