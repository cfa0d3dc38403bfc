import { expect, it } from "vitest";

import { startScriptedCluster } from "../../../test/support/programs/scripted-cluster.ts";
import type { JsonObject } from "../../kube/api/types.ts";

const PAGES = [0, 1, 2];
const PAGE = 300;

/** Events of one page, the last pages being the newest; one Warning on the first page. */
function page(number: number): JsonObject {
  const items = Array.from({ length: PAGE }, (_, index) => ({
    involvedObject: { kind: "PlatformApplication", namespace: "shop", name: `app-${number}-${index}` },
    type: number === 0 && index === 0 ? "Warning" : "Normal",
    reason: "Deployed",
    lastTimestamp: `2026-11-21T1${number}:00:00Z`,
  }));
  return { items, metadata: { continue: number === PAGES.length - 1 ? "" : String(number + 1) } };
}

it("events reads every page, filters by type and sorts by time before it keeps the newest 500", async () => {
  const cluster = await startScriptedCluster((_, { searchParams }) => page(Number(searchParams.get("continue") ?? 0)));
  const { code, stdout, stderr } = await cluster.run(["events", "-o", "json"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "Only the newest 500 of 900 events are shown.\n" });
  const times = (JSON.parse(stdout) as readonly { readonly at: string }[]).map(({ at }) => at);
  const [newest, before] = ["2026-11-21T12:00:00Z", "2026-11-21T11:00:00Z"];
  expect(times).toEqual([...Array.from({ length: PAGE }, () => newest), ...Array.from({ length: 200 }, () => before)]);
  const warnings = await cluster.run(["events", "--type=Warning", "-o", "name"]);
  expect(warnings.stdout).toBe("platformapplication.platform-operator.io/app-0-0\n");
});
