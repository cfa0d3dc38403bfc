import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { aKey } from "../../../test/support/engine/keys.ts";
import { keyValues } from "../../../test/support/kube/key-values.ts";
import type { Json, KeyValues } from "../../kube/api/types.ts";
import type { Reader } from "../../kube/watch/readers.ts";
import type { SecretRules } from "../connections/secrets.ts";
import { isChangedAtSource, sameContent, type ValueRequest } from "../contract/kind.ts";
import type { InstallationKey } from "../ownership/installation-key.ts";
import { resolver } from "./references.ts";
import { fingerprintOf, resolveValues } from "./values.ts";

const SECRET = "hunter2-and-more";

function readerOf(secrets: Readonly<Record<string, KeyValues>>, reads: string[] = []): Reader {
  const find = (kind: string, namespace: string, name: string): Promise<KeyValues | undefined> => {
    reads.push(`${kind} ${namespace}/${name}`);
    return Promise.resolve(new Map(Object.entries(secrets)).get(`${kind}/${name}`));
  };
  return {
    secret: (namespace, name) => find("Secret", namespace, name),
    configMap: (namespace, name) => find("ConfigMap", namespace, name),
  };
}

function ask(field: string, from: "Secret" | "ConfigMap", name: string, key: string): ValueRequest {
  return { field, from, name, key };
}

/** A namespace without limits. */
const place = { namespace: "team", maxAgeMs: 0, rules: { inUse: new Map(), labels: undefined } };

describe("resolveValues", () => {
  const secrets = {
    "Secret/db": keyValues("1", { url: SECRET, user: "" }),
    "ConfigMap/db": keyValues("2", { url: "plain" }),
  };

  it("reads each object once, of its own namespace, and tells Secret and ConfigMap apart", async () => {
    const reads: string[] = [];
    const [url, user] = [ask("a", "Secret", "db", "url"), ask("b", "Secret", "db", "user")];
    const requests = [url, user, ask("c", "ConfigMap", "db", "url")];
    const resolved = await resolveValues(readerOf(secrets, reads), place, requests);
    expect(reads).toEqual(["Secret team/db", "ConfigMap team/db"]);
    // An empty value is a value.
    const values = new Map(Object.entries({ a: SECRET, b: "", c: "plain" }));
    expect(resolved).toMatchObject({ is: "found", values });
  });

  it("names the versions that it read, in whatever order they were requested", async () => {
    const requests = [ask("a", "Secret", "db", "url"), ask("c", "ConfigMap", "db", "url")];
    const forward = await resolveValues(readerOf(secrets), place, requests);
    const backward = await resolveValues(readerOf(secrets), place, requests.toReversed());
    expect(forward.is === "found" && backward.is === "found" && forward.sources === backward.sources).toBe(true);
  });

  it.each<[string, ValueRequest, string]>([
    ["an object", ask("spec.x", "Secret", "nobody", "k"), 'Secret "nobody" does not exist'],
    ["a key", ask("spec.x", "Secret", "db", "k"), 'Secret "db" in namespace "team" has no key "k"'],
    ["a ConfigMap", ask("spec.x", "ConfigMap", "nobody", "k"), 'ConfigMap "nobody" does not exist'],
  ])("says which %s is missing, and no value", async (_, request, words) => {
    const resolved = await resolveValues(readerOf(secrets), place, [ask("a", "Secret", "db", "url"), request]);
    expect(resolved).toMatchObject({ is: "missing", why: { reason: "DependencyNotReady" } });
    const message = resolved.is === "missing" ? resolved.why.message : "";
    expect(message).toContain(words);
    expect(message).toContain("spec.x");
    expect(message).not.toContain(SECRET);
  });

  it.each<[string, ValueRequest]>([
    ["one key", ask("spec.x", "Secret", "db", "blob")],
    ["all keys", { field: "spec.x", from: "Secret", name: "db" }],
  ])("says which of %s is no text", async (_, request) => {
    const mixed = { "Secret/db": keyValues("1", { url: SECRET, blob: null }) };
    const resolved = await resolveValues(readerOf(mixed), place, [ask("a", "Secret", "db", "url"), request]);
    const message =
      'Key "blob" of Secret "db" in namespace "team", which spec.x refers to, is not UTF-8 text; encode it as base64.';
    expect(resolved).toEqual({ is: "missing", why: { reason: "DependencyNotReady", message } });
  });

  it("reads all of an object, beside single keys of it", async () => {
    const whole: ValueRequest = { field: "all", from: "Secret", name: "db" };
    const requests = [whole, ask("a", "Secret", "db", "url")];
    const reads: string[] = [];
    const resolved = await resolveValues(readerOf(secrets, reads), place, requests);
    const all = new Map([
      [
        "all",
        new Map([
          ["url", SECRET],
          ["user", ""],
        ]),
      ],
    ]);
    expect(resolved).toMatchObject({ values: new Map([["a", SECRET]]), all });
    expect(reads).toHaveLength(1);
    const missing = await resolveValues(readerOf({}), place, [whole]);
    expect(missing).toMatchObject({ is: "missing", why: { reason: "DependencyNotReady" } });
  });
});

describe("[E9] resolveValues", () => {
  const content = { key: SECRET };
  const selected = { ...keyValues("1", content), type: "Opaque", labels: { for: "platform", more: "x" } };
  const secrets = {
    "Secret/selected": selected,
    "Secret/other": { ...selected, labels: { for: "us" } },
    "Secret/bare": keyValues("1", content),
    "Secret/account": { ...selected, type: "kubernetes.io/service-account-token" },
    "Secret/bootstrap": { ...selected, type: "bootstrap.kubernetes.io/token" },
    "Secret/release": { ...selected, type: "helm.sh/release.v1" },
    "ConfigMap/token": keyValues("1", content),
  };
  const inUse = new Map([["token", 'PlatformConnection "default"']]);
  const open: SecretRules = { inUse, labels: undefined };
  const labelled = (wanted: Readonly<Record<string, string>>): SecretRules => ({
    inUse,
    labels: { wanted, connection: 'PlatformConnection "default"' },
  });
  const resolving = (name: string, rules: SecretRules, reads: string[] = []) =>
    resolveValues(readerOf(secrets, reads), { namespace: "team", maxAgeMs: 0, rules }, [
      ask("spec.x", "Secret", name, "key"),
    ]);

  it.each<[string, string, SecretRules, string]>([
    ["of a connection", "token", open, 'is used by PlatformConnection "default"'],
    ["of a ServiceAccount", "account", open, "has the type kubernetes.io/service-account-token"],
    ["with a bootstrap token", "bootstrap", open, "has the type bootstrap.kubernetes.io/token"],
    ["with a Helm release", "release", open, "has the type helm.sh/release.v1"],
    ["of a ServiceAccount that is selected", "account", labelled({ for: "platform" }), "has the type"],
    ["with another value of the label", "other", labelled({ for: "platform" }), "does not have the labels"],
    ["with one label of two", "selected", labelled({ for: "platform", and: "more" }), "does not have the labels"],
    ["without labels", "bare", labelled({ for: "platform" }), "does not have the labels"],
    ["under a selector of no label", "selected", labelled({}), "does not have the labels"],
    ["under a label of every object", "bare", labelled({ constructor: "" }), "does not have the labels"],
  ])("refuses a Secret %s, with the field and no value", async (_what, name, rules, says) => {
    const resolved = await resolving(name, rules);
    expect(resolved).toMatchObject({ is: "refused", why: { reason: "SecretNotAllowed" } });
    const { message } = resolved.is === "refused" ? resolved.why : { message: "" };
    expect(message).toContain(`Secret "${name}" ${says}`);
    expect(message).toContain("spec.x");
    expect(message).not.toContain(SECRET);
  });

  it("takes a selected Secret", async () => {
    expect(await resolving("selected", labelled({ for: "platform" }))).toMatchObject({ is: "found" });
  });

  it("does not read the Secret of a connection", async () => {
    const reads: string[] = [];
    await resolving("token", open, reads);
    expect(reads).toEqual([]);
  });

  it("takes a ConfigMap that has the name of a connection's Secret", async () => {
    const of = { namespace: "team", maxAgeMs: 0, rules: labelled({ for: "platform" }) };
    const resolved = await resolveValues(readerOf(secrets), of, [ask("spec.x", "ConfigMap", "token", "key")]);
    expect(resolved).toMatchObject({ is: "found" });
  });
});

describe("fingerprint", () => {
  const [one, other] = [aKey("key-1"), aKey("key-2")];

  type Content = [value: Json, sources: string, key: InstallationKey];
  const known: Content = [SECRET, "s1", one];

  it.each<[what: string, left: Content, right: Content, isSame: boolean, isChangedAtSource: boolean]>([
    ["the same content of the same sources", known, known, true, false],
    ["a Secret that was only touched", known, [SECRET, "s2", one], true, false],
    ["a value that changed", known, ["new", "s2", one], false, true],
    ["a value that changed in the spec, or by another version", known, ["new", "s1", one], false, false],
    ["the same sources after the loss of the key", known, [SECRET, "s1", other], true, false],
    [
      "other sources after the loss of the key, which the limit of mass changes counts",
      known,
      ["new", "s2", other],
      false,
      false,
    ],
    ["another type of the same text", ["1", "s1", one], [1, "s1", one], false, false],
  ])("of %s", (...[, left, right, isSame, isChanged]) => {
    const [before, now] = [fingerprintOf(...left), fingerprintOf(...right)];
    expect(sameContent(before, now)).toBe(isSame);
    expect(isChangedAtSource(before, now)).toBe(isChanged);
  });

  it("that is missing equals only another missing one, and is not known to have changed", () => {
    const some = fingerprintOf(SECRET, "s", one);
    const same = [sameContent(undefined, undefined), sameContent(some, undefined), sameContent(undefined, some)];
    expect(same).toEqual([true, false, false]);
    expect(isChangedAtSource(undefined, some)).toBe(false);
  });

  it("[C12] shows neither value nor key, and cannot be made without the key", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), fc.string({ minLength: 8, maxLength: 31 }), (value, secret) => {
        const { digest, ...rest } = fingerprintOf(value, "s", aKey(secret));
        const text = JSON.stringify({ digest, ...rest });
        expect(text).not.toContain(JSON.stringify(value).slice(1, -1));
        expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
        expect(digest).not.toBe(fingerprintOf(value, "s", aKey("another")).digest);
      }),
    );
  });
});

describe("the resolver", () => {
  const references = { is: "resolved", ids: new Map([["spec.parentRef", "id"]]) } as const;
  const unresolved = { is: "unresolved", missing: true, why: { reason: "ParentNotFound", message: "?" } } as const;
  const all = new Map([["spec.y", new Map([["k", "v"]])]]);
  const found = { is: "found", values: new Map([["spec.x", "v"]]), all, sources: "s" } as const;
  const missing = { is: "missing", why: { reason: "DependencyNotReady", message: "?" } } as const;
  const receiver = () => ({ url: "https://hooks.example.com/x", path: "x", secret: "y" });
  const how = { key: aKey(), generation: 1, allowMissing: undefined, receiver };

  it("returns the id behind a reference, and none for an optional one that is not there", () => {
    const resolved = resolver(references, found, how);
    expect(resolved.id("spec.parentRef")).toBe("id");
    expect(resolved.idIfAny("spec.parentRef")).toBe("id");
    expect(resolved.idIfAny("spec.other")).toBeUndefined();
  });

  it("returns the value of one key, or those of all keys", () => {
    const resolved = resolver(references, found, how);
    expect(resolved.value("spec.x")).toBe("v");
    expect(resolved.all("spec.y")).toEqual(new Map([["k", "v"]]));
  });

  it("throws for a field that was not requested", () => {
    const resolved = resolver(references, found, how);
    expect(() => resolved.all("spec.other")).toThrow(RangeError);
    expect(() => resolved.id("spec.other")).toThrow(RangeError);
    expect(() => resolved.value("spec.other")).toThrow(RangeError);
  });

  it("returns placeholders for what is missing while an object is deleted", () => {
    const known = resolver(unresolved, missing, { ...how, allowMissing: { parentId: "pinned" } });
    expect(known.id("spec.parentRef")).toBe("pinned");
    expect(known.idIfAny("spec.parentRef")).toBeUndefined();
    expect(known.value("spec.x")).toBe("");
    expect(known.all("spec.y")).toEqual(new Map());
    const unknown = resolver(unresolved, missing, { ...how, allowMissing: { parentId: undefined } });
    expect(unknown.id("spec.parentRef")).toBe("00000000-0000-0000-0000-000000000000");
  });

  it("counts a new generation as another source, for values in the spec", () => {
    const next = resolver(references, found, { ...how, generation: 2, key: aKey("another") });
    expect(sameContent(resolver(references, found, how).fingerprint("v"), next.fingerprint("v"))).toBe(false);
  });
});
