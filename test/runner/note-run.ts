/** Setup of each test file that may use an API server: records at its end that it ran, and which tests used one. */
import { afterAll, afterEach, expect, inject } from "vitest";

import { apiServerUse } from "../control-plane/use.ts";
import { noteRun, notesDir } from "./run-notes.ts";

apiServerUse.begin();

afterEach(({ task }) => {
  if (apiServerUse.isNoted()) task.meta.real = true;
});

afterAll(() => {
  const { testPath } = expect.getState();
  if (testPath !== undefined) noteRun(notesDir(inject("controlPlane").dir), testPath);
});
