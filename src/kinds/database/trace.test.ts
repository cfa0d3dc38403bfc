import { describe, expect, it } from "vitest";

import { capabilitiesOn } from "../../../test/support/kinds/supports.ts";
import { DATABASE, passWith } from "../../../test/support/services/databases.ts";
import type { Json } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { database } from "./index.ts";

/** A platform that gets no reads: the documented surface shows no states. */
const api = { capabilities: capabilitiesOn("Documented") } as unknown as Platform;

describe("a request to a database whose state the surface does not show", () => {
  it.each<[string, string, Json, string | undefined, "absent" | "unknowable"]>([
    ["is not known to have landed", "deployDatabase", { retry: undefined }, undefined, "unknowable"],
    ["may be sent again at a person's request", "deployDatabase", {}, "now", "absent"],
    ["may be sent again at a later request", "deployDatabase", { retry: "now" }, "later", "absent"],
    ["is not sent again for the request that it was sent for", "deployDatabase", { retry: "now" }, "now", "unknowable"],
    ["to stop, likewise", "stopDatabase", { retry: "now" }, "now", "unknowable"],
    ["of an older version says nothing of requests", "stopDatabase", "2 run-1", "now", "absent"],
  ])("%s", async (_what, op, mark, requested, is) => {
    const intent = {
      op,
      creates: false,
      parentId: undefined,
      name: undefined,
      id: DATABASE,
      commit: undefined,
      mark,
    };
    expect(await database.trace(intent, passWith({ surface: "Documented", requested }), api)).toMatchObject({ is });
  });
});
