import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

import { describe, expect, it } from "vitest";

import { REASONS } from "../../src/api/reasons.ts";
import { filesIn, root, textOf } from "./repository.ts";

const docs = filesIn("docs", ".md");

/** Reasons that need nobody: a goal that is reached, work that goes on, a fact beside Ready. */
const NEEDS_NOBODY = new Set([
  ...["Available", "Deployed", "Stopped", "NotDeployed", "Bound", "Progressing"],
  ...["ReconcileSuccess", "Creating", "Deploying", "Building", "Stopping", "Restarting", "Upgrading", "Deleting"],
  ...["Canceling", "Orphaned", "DriftDetected", "NoDrift", "Unlocked", "UpToDate", "DeployPending"],
  ...["TypeListed", "TypeNotListed", "Valid", "FieldsIgnored", "LayersEnabled", "LayersNotEnabled", "VariablesSynced"],
  ...["VariablesPending"],
]);
/** Kubernetes' own words for the state of a container. */
const OF_CONTAINERS = new Set(["CrashLoopBackOff", "OOMKilled"]);

const reasonsIn = (page: string): readonly string[] =>
  [...textOf(page).matchAll(/`([A-Z][A-Za-z]+)`/g)].map(([, reason = ""]) => reason);

it("the guide to troubleshooting explains every reason that somebody has to act on", () => {
  const documented = reasonsIn("docs/guides/troubleshooting.md");
  expect(Object.keys(REASONS).filter((one) => !NEEDS_NOBODY.has(one) && !documented.includes(one))).toEqual([]);
  expect([...NEEDS_NOBODY].filter((reason) => !Object.hasOwn(REASONS, reason))).toEqual([]);
});

it.each(filesIn("docs/runbooks", ".md"))("%s names only reasons that exist", (page) => {
  const unknown = reasonsIn(page).filter((reason) => !Object.hasOwn(REASONS, reason) && !OF_CONTAINERS.has(reason));
  expect(unknown).toEqual([]);
});

describe("the pages of the documentation", () => {
  /** Lists of their own: one page each. */
  const listed = /^docs\/(project\/adr|runbooks|reference)\/(?!README)[A-Z0-9].*/;

  it("are all in the index", () => {
    const index = textOf("docs/README.md");
    const pages = docs.filter((page) => page !== "docs/README.md" && !listed.test(page));
    expect(pages.filter((page) => !index.includes(`(${page.slice("docs/".length)})`))).toEqual([]);
  });

  it.each(["README.md", "CONTRIBUTING.md", "SECURITY.md", ...docs])("link only to existing files: %s", (page) => {
    const links = [...textOf(page).matchAll(/\]\(([\w./:-]+)(#[^)]*)?\)/g)].map(([, path = ""]) => path);
    const dead = links.filter((path) => !path.startsWith("https://") && !existsSync(join(root, dirname(page), path)));
    expect(dead).toEqual([]);
  });
});
