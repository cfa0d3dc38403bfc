import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { PAUSING } from "./paused.ts";

const scripts = join(import.meta.dirname, "../../scripts/argocd/lua");

it.each(["discovery.lua", "health.lua"])("Argo CD's %s knows the same values of the pause annotation", (file) => {
  const table = /local pausing = \{([^}]*)\}/.exec(readFileSync(join(scripts, file), "utf8"))?.[1] ?? "";
  expect([...table.matchAll(/\["(\w+)"\] = true/g)].map(([, value]) => value)).toEqual([...PAUSING]);
});
