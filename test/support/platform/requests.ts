import { expect, it } from "vitest";

import { parseExactJson } from "../../../src/platform/codec/json.ts";
import type { Platform } from "../../../src/platform/index.ts";
import { failureOf, ORGANIZATION, startHarness } from "./client.ts";

export { ORGANIZATION };
export const ID = "00000000-0000-4000-8000-00000000000a";
export const OTHER = "00000000-0000-4000-8000-00000000000b";
export const LONE_SURROGATE = "\ud800";

type Call = (platform: Platform) => Promise<unknown>;

/** A call, and the method, path, query and body that it sends. */
type Sent = readonly [title: string, call: Call, request: string, body?: unknown];

/** A call, and the text of its refusal after "the request cannot be sent: ". */
type Refused = readonly [title: string, call: Call, complaint: string];

/** A body that suffices for every operation. */
const ANSWER = { id: ID, name: "web", metrics: "", status: { token: "t" }, results: [] };

/** Tests that each call sends this one request; whether the answer can be read does not matter. */
export function itSends(...rows: readonly Sent[]): void {
  it.for(rows)("is sent: %s", async ([, call, request, body]) => {
    const { server, connect } = await startHarness({ body: ANSWER });
    await call(connect()).catch(() => {});
    const sent = server.arrived.map(({ method, url, headers, body: text }) => ({
      request: `${method} ${url}`,
      contentType: headers["content-type"],
      body: text === "" ? undefined : parseExactJson(text),
    }));
    expect(sent).toEqual([{ request, contentType: body === undefined ? undefined : "application/json", body }]);
  });
}

/** Tests that each call is refused with this message before anything is sent. */
export function itRefuses(...rows: readonly Refused[]): void {
  it.for(rows)("is refused: %s", async ([, call, complaint]) => {
    const { server, calls, connect } = await startHarness();
    const platform = connect();
    const before = platform.budget();
    const message = `the request cannot be sent: ${complaint}`;
    expect(await failureOf(call(platform))).toMatchObject({ failure: { is: "Refused" }, status: 0, message });
    expect(server.arrived).toEqual([]);
    expect(calls).toEqual([]);
    expect(platform.budget()).toEqual(before);
  });
}
