import { expect, it } from "vitest";

import { openIntent } from "../../../test/support/kinds/contexts.ts";
import { platformWith } from "../../../test/support/kinds/platform.ts";
import { DATABASE, contextWith, record, statusOf } from "../../../test/support/services/databases.ts";
import type { Json } from "../../engine/contract/kind.ts";
import { database } from "./index.ts";

const intentOf = (op: string, mark: Json) => openIntent(op, { id: DATABASE, mark });

/** It gets no reads. */
const api = platformWith({});

it.each<[string, Json, string, object]>([
  ["is not repeated", { redeploy: "now" }, "now", { is: "unknowable", repeatable: false }],
  ["may be sent again for another value", { redeploy: "now" }, "later", { is: "absent" }],
  ["may be sent after an unconfirmed deployment", { retry: "now" }, "later", { is: "absent" }],
])("another deployment of a database whose state the surface does not show %s", async (_what, mark, redeploy, is) => {
  const context = contextWith({ surface: "Documented", redeploy });
  expect(await database.trace(intentOf("deployDatabase", mark), context, api)).toMatchObject(is);
});

it.each<[string, string, Json, string | undefined, "absent" | "unknowable"]>([
  ["is not known to have landed", "deployDatabase", { retry: undefined }, undefined, "unknowable"],
  ["may be sent again at a person's request", "deployDatabase", {}, "now", "absent"],
  ["may be sent again at a later request", "deployDatabase", { retry: "now" }, "later", "absent"],
  ["is not sent again for the request that it was sent for", "deployDatabase", { retry: "now" }, "now", "unknowable"],
  ["to stop, likewise", "stopDatabase", { retry: "now" }, "now", "unknowable"],
])("a request to a database whose state the surface does not show %s", async (_what, op, mark, requested, is) => {
  const context = contextWith({ surface: "Documented", requested });
  expect(await database.trace(intentOf(op, mark), context, api)).toMatchObject({ is });
});

it("a request to a database of the full surface is looked for in the statuses of its environment", async () => {
  const api = platformWith({ services: { statuses: () => Promise.resolve([statusOf("STOPPED")]) } });
  const traced = await database.trace(intentOf("stopDatabase", null), contextWith(), api);
  expect(traced).toMatchObject({ is: "landed", known: [{ memory: { runState: "Stopped" } }] });
});

it("an unconfirmed create that the list shows made a database that is not deployed yet, also where its state cannot be read", async () => {
  const api = platformWith({ databases: { list: () => Promise.resolve([record()]) } });
  const intent = { ...intentOf("createDatabase", { absentAt: null }), creates: true, name: "main" };
  const traced = await database.trace(intent, contextWith({ memory: { state: undefined } }), api);
  expect(traced).toMatchObject({ is: "landed", known: [{ id: DATABASE, memory: { state: "READY" } }] });
});
