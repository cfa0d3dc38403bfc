import type { KubeObject } from "../../../src/kube/api/types.ts";
import type { Scenario } from "./scene.ts";

const FAULT = { name: "rate-limit", count: null, answer: { is: "rate-limited", reset: "5" } };

export const rateLimit: Scenario = {
  name: "rate-limit",
  about: "the platform answers 429 for a while",
  surface: undefined,
  play: async ({ say, note, kubectl, control, conditions, requestReconcile, until, objects }) => {
    say("From now on the platform answers every call with 429: come back in 5 seconds.");
    await control("POST", "/faults", FAULT);
    await requestReconcile("pconn/default");
    await until("PlatformConnection", "default", "Synced", { status: "False", reason: "RateLimited" });
    const before = versionsOf(objects());

    say(
      "The limit is reported once, on the connection, and all calls wait. The connection stays Ready: nothing is lost.",
    );
    await kubectl("get", "pconn");
    conditions("PlatformConnection", "default", "Ready", "Synced");
    await kubectl("events", "--for", "pconn/default");
    const after = versionsOf(objects());
    const touched = [...after].filter(([id, version]) => before.get(id) !== version).map(([id]) => id);
    if (touched.length > 0) throw new Error(`the trouble of the connection was written to ${touched.join(", ")}`);
    note(`The ${after.size} objects that use the connection were not touched.`);

    say("The platform accepts calls again. The operator resumes by itself.");
    await control("DELETE", "/faults?name=rate-limit");
    await until("PlatformConnection", "default", "Synced", { status: "True" });
    conditions("PlatformConnection", "default", "Ready", "Synced");
  },
};

/** @returns the resourceVersions of all objects except connections, by kind and name */
function versionsOf(objects: readonly KubeObject[]): ReadonlyMap<string, string> {
  const dependents = objects.filter(({ kind }) => kind !== "PlatformConnection");
  return new Map(dependents.map(({ kind, metadata }) => [`${kind}/${metadata.name}`, metadata.resourceVersion]));
}
