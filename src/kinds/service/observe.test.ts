import { expect, it } from "vitest";

import { APPLICATION, ENVIRONMENT, contextWith } from "../../../test/support/services/applications.ts";
import { withOwn } from "./observe.ts";

it.each([
  ["counts as listed where its own record shows the environment", { id: ENVIRONMENT }, "absent", false, true],
  ["does not where that is another one", { id: APPLICATION }, "present", true, false],
  ["counts while nothing is taken away", undefined, "present", false, true],
  ["is not stopped where nothing proves whose it is", undefined, "stopped", false, false],
  ["is stopped where such ids are accepted", undefined, "stopped", true, true],
  ["is not deleted where nothing proves whose it is", undefined, "absent", false, false],
  ["is not deleted though such ids are accepted", undefined, "absent", true, false],
] as const)(
  "a recorded service that the list lacks %s",
  async (_name, environment, goal, allowUnverifiedIds, expected) => {
    const own = { id: APPLICATION, ...(environment !== undefined && { environment }) };
    const get = () => Promise.resolve(own);
    const found = await withOwn(contextWith({ goal, allowUnverifiedIds }), [], get);
    expect(found).toEqual({ siblings: expected ? [own] : [], presence: "Present" });
  },
);
