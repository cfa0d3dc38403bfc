import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";

import type { Application } from "../../../platform/areas/applications.ts";
import { yamlOf, type Home } from "./documents.ts";
import { filesOf } from "./index.ts";
import type { FoundApplication, FoundEnvironment, Inventory } from "./inventory.ts";

const id = (last: number): string => `0000000${last}-0000-4000-8000-00000000000${last}`;
const url = "https://git.example.com/a/b.git";
const home: Home = { namespace: "shop", connectionRef: undefined, observeOnly: false, present: [] };

const application: Application = {
  id: id(3),
  name: "api",
  gitRepository: { url, branch: "main", provider: "GITHUB", deployedCommitId: "1A2B3C4" },
  buildMode: "DOCKER",
  dockerfilePath: "",
  cpu: 500,
  memory: 512,
  record: {},
};
const found = (record: Partial<Application> = {}, more: Partial<FoundApplication> = {}): FoundApplication => {
  return { record: { ...application, ...record }, state: "DEPLOYED", variables: [], secrets: [], ...more };
};

const environment = (more: Partial<FoundEnvironment> = {}): FoundEnvironment => ({
  id: id(2),
  serviceCount: 1,
  record: { id: id(2), name: "staging", mode: "STAGING", clusterId: id(9), record: {} },
  applications: [],
  databases: [],
  others: [],
  ...more,
});

function inventory(...environments: readonly FoundEnvironment[]): Inventory {
  const project = { record: { id: id(1), name: "Web", description: "", record: {} }, environments: [...environments] };
  return { surface: "Full", projects: [project], clusters: [], gaps: [] };
}

/** Returns the manifest of one application and the comments around it. */
function exported(one: FoundApplication) {
  const [file] = filesOf(inventory(environment({ applications: [one] })), home);
  return file?.documents.at(-1);
}

describe("a manifest of an export", () => {
  it("says what is there and no more", () => {
    expect(exported(found())).toEqual({
      comments: [],
      manifest: {
        apiVersion: "platform-operator.io/v1alpha1",
        kind: "PlatformApplication",
        metadata: { name: "api", namespace: "shop" },
        spec: {
          environmentRef: { name: "staging" },
          name: "api",
          gitRepository: { url, branch: "main", provider: "GITHUB" },
          buildMode: "DOCKER",
          cpu: 500,
          memory: 512,
          deploy: { gitCommitId: "1a2b3c4" },
          externalId: id(3),
          lifecycle: { deletionPolicy: "Retain" },
        },
      },
    });
  });

  const observed = { managementPolicy: "ObserveOnly", deletionPolicy: "Retain" };
  const filled = found({}, { variables: ["LOG_LEVEL"], secrets: ["PASSWORD"] });
  it.each<[string, FoundApplication, object, string]>([
    ["is stopped stays stopped", found({}, { state: "STOPPED" }), { runState: "Stopped" }, ""],
    [
      "has credentials in its URL is only observed, without them",
      found({ gitRepository: { url: "https://me:secret@git.example.com/a/b.git", deployedCommitId: "1a2b3c4" } }),
      { gitRepository: { url }, lifecycle: observed },
      "The repository's URL on the platform contains credentials",
    ],
    ["shows no commit is not deployed", found({ gitRepository: { url } }), {}, "does not show the deployed commit"],
    ["has a value that no spec takes keeps it", found({ cpu: -1 }), {}, "spec.cpu is omitted: spec.cpu "],
    ["has variables keeps them", filled, {}, "stay unchanged: LOG_LEVEL. Its secrets stay unchanged: PASSWORD."],
    ["hides its variables keeps them", found({}, { variables: undefined }), {}, "not be read; they stay unchanged."],
  ])("of what %s", (_what, one, spec, comment) => {
    const document = exported(one);
    expect(document?.manifest?.["spec"]).toMatchObject(spec);
    expect(document).not.toHaveProperty("disabled");
    expect(document?.comments.join(" ")).toContain(comment);
    expect(JSON.stringify(document?.manifest)).not.toContain("secret@");
  });

  it("that cannot be made is a comment", () => {
    const comments = [expect.stringMatching(/^It cannot be described: spec\.name must not be empty/)];
    expect(exported(found({ name: " blank " }))).toMatchObject({ disabled: true, comments });
  });

  it("refers to what a resource holds already, which is not written again", () => {
    const present = [{ kind: "PlatformEnvironment", name: "stage", id: id(2) }];
    const [file] = filesOf(inventory(environment({ applications: [found()] })), { ...home, present });
    expect(file?.documents[1]).toEqual({ comments: [`PlatformEnvironment "stage" holds ${id(2)} already.`] });
    expect(file?.documents[2]?.manifest).toMatchObject({ spec: { environmentRef: { name: "stage" } } });
  });

  it("names its connection, and observes only, where that is asked for", () => {
    const connectionRef = { kind: "ClusterPlatformConnection", name: "shared" };
    const [file] = filesOf(inventory(), { ...home, connectionRef, observeOnly: true });
    expect(file?.documents[0]?.manifest).toMatchObject({ spec: { connectionRef, lifecycle: observed } });
  });
});

describe("what an export leaves out", () => {
  it("is said", () => {
    const others = [
      { id: id(4), name: "cron", serviceType: "JOB" },
      { id: id(5), name: "cache", serviceType: "HELM", blueprintId: id(6) },
    ];
    const [file] = filesOf(inventory(environment({ others })), home);
    expect(file?.documents.slice(2).flatMap(({ comments }) => comments)).toEqual([
      `Omitted: job "cron" (${id(4)}), because no kind describes services of this type.`,
      `Omitted: helm "cache" (${id(5)}), because it comes from the blueprint ${id(6)}, whose catalog and icon the platform does not show.`,
    ]);
  });
});

describe("the YAML of an export", () => {
  it("holds nothing but the manifests, whatever the texts of the platform are", () => {
    const evil = 'x"\nkind: Secret\u2028- {} # \u0085---\nmetadata:';
    const applications = [found({}, { variables: [evil] })];
    const files = filesOf(inventory(environment({ applications, record: undefined })), home);
    const documents = files.flatMap((file) => file.documents);
    const yaml = yamlOf(documents, [evil]);
    const kinds = parseAllDocuments(yaml).map((document) => (document.toJS() as { kind?: string } | null)?.kind);
    expect(kinds.filter((kind) => kind !== undefined)).toEqual(["PlatformProject", "PlatformApplication"]);
    expect(yaml).toContain("# kind: PlatformEnvironment\n");
    expect(yaml).toContain("#   clusterRef:\n#     externalId: FILL-IN\n");
  });
});
