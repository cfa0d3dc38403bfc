/** Setup of each test file that may use an API server: records at its end that it ran. */
import { afterAll, expect, inject } from "vitest";

import { noteRun, notesDir } from "./run-notes.ts";

afterAll(() => {
  const { testPath } = expect.getState();
  if (testPath !== undefined) noteRun(notesDir(inject("controlPlane").dir), testPath);
});
