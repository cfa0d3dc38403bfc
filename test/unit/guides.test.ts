import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { REASONS } from "../../src/api/reasons.ts";

const guides = join(import.meta.dirname, "../../docs/guides");
const runbooks = join(import.meta.dirname, "../../docs/runbooks");
const names = readdirSync(guides);
const read = (name: string, folder = guides): string => readFileSync(join(folder, name), "utf8");

/** Reasons that need nobody: a goal that is reached, work that goes on, a fact beside Ready. */
const NEEDS_NOBODY = new Set([
  ...["Available", "Deployed", "Stopped", "NotDeployed", "Bound", "Completed", "Accepted", "Progressing"],
  ...["ReconcileSuccess", "Creating", "Deploying", "Building", "Stopping", "Restarting", "Upgrading", "Deleting"],
  ...["Canceling", "Orphaned", "DriftDetected", "NoDrift", "Unlocked", "UpToDate", "DeployPending", "AdoptionPending"],
  ...["TypeListed", "TypeNotListed", "Valid", "FieldsIgnored", "LayersEnabled", "LayersNotEnabled", "VariablesSynced"],
  ...["VariablesPending", "SurfaceKnown", "Supported", "NotTried"],
]);

describe("the guides", () => {
  it("say what to do about every reason that somebody has to act on", () => {
    const documented = new Set([...read("troubleshooting.md").matchAll(/`([A-Z][A-Za-z]+)`/g)].map(([, name]) => name));
    expect(Object.keys(REASONS).filter((reason) => !NEEDS_NOBODY.has(reason) && !documented.has(reason))).toEqual([]);
    expect([...NEEDS_NOBODY].filter((reason) => !Object.hasOwn(REASONS, reason))).toEqual([]);
  });

  it("are all in their index", () => {
    const index = read("README.md");
    expect(names.filter((name) => name !== "README.md" && !index.includes(`(${name})`))).toEqual([]);
  });

  it.each(names)("%s links only to what exists", (name) => {
    expect(deadLinks(name, guides)).toEqual([]);
  });
});

describe("the page of all pages", () => {
  const docs = join(runbooks, "..");
  /** Lists of their own: one page each. */
  const listed = /^(adr|runbooks|reference)\/(?!README)[A-Z0-9].*/;

  it("has each of them, and links only to what exists", () => {
    const pages = readdirSync(docs, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
    const index = read("README.md", docs);
    const wanted = pages.filter((name) => name !== "README.md" && !listed.test(name));
    expect(wanted.filter((name) => !index.includes(`(${name})`))).toEqual([]);
    expect(deadLinks("README.md", docs)).toEqual([]);
  });
});

/** Kubernetes' own words for the state of a container. */
const OF_CONTAINERS = new Set(["CrashLoopBackOff", "OOMKilled"]);

describe("the runbooks", () => {
  it.each(readdirSync(runbooks))("%s names only reasons that there are, and links only to what exists", (name) => {
    const named = [...read(name, runbooks).matchAll(/`([A-Z][A-Za-z]+)`/g)].map(([, reason = ""]) => reason);
    expect(named.filter((reason) => !Object.hasOwn(REASONS, reason) && !OF_CONTAINERS.has(reason))).toEqual([]);
    expect(deadLinks(name, runbooks)).toEqual([]);
  });
});

function deadLinks(name: string, folder: string): readonly string[] {
  const links = [...read(name, folder).matchAll(/\]\(([^)#]+)(#[^)]*)?\)/g)].map(([, path]) => path ?? "");
  return links.filter((path) => !path.startsWith("https://") && !existsSync(join(folder, path)));
}
