import fc from "fast-check";

import { NOTHING_OBSERVED } from "../../../src/kinds/blueprint/model.ts";
import { NOT_READ } from "../../../src/kinds/shared/answers.ts";
import { ENVIRONMENT, print, REQUEST } from "../services/applications.ts";
import { ago, BLUEPRINT, passWith, SERVICE } from "../services/blueprints.ts";
import { goal, hostile, ingress, maybe, request, statusOf, surface, texts } from "./values.ts";

const memory = fc.record(
  {
    serviceId: fc.constant(SERVICE),
    createdAt: fc.constantFrom(ago(1), ago(60)),
    catalogUrl: fc.constant("https://c.example/x"),
    lastDeployment: fc.record(
      {
        startedAt: fc.constant(ago(1)),
        baseline: fc.constantFrom("[null,null,null]", "nonsense"),
        requestId: fc.constant(REQUEST),
        finishedAt: fc.constant(ago(0)),
        state: fc.constantFrom("DEPLOYED", "DEPLOYMENT_ERROR"),
      },
      { requiredKeys: [] },
    ),
    written: fc.constantFrom({ settings: { "spec.tag": '"old"' }, variables: print("old") }, {}),
  },
  { requiredKeys: [] },
);

const pass = fc
  .record({
    surface,
    goal,
    onMissing: fc.constantFrom("Fail" as const, "Recreate" as const),
    memory,
  })
  .map(({ memory: kept, ...rest }) => {
    const variables = [{ name: "password", value: "s3cret-value", isSecret: true }];
    const inputs = { environmentId: ENVIRONMENT, variables, fingerprint: print("some") };
    const long = {
      name: "😀".repeat(100),
      icon: `x:${"i".repeat(2000)}`,
      engine: "Helm",
      specOverrides: { backend: 1 },
    };
    return { ...passWith({ ...rest, inputs, spec: long }), memory: kept };
  });

/** A blueprint, and any content of the platform's lists about it. */
export const blueprintObservation = fc
  .record({
    pass,
    siblings: maybe(
      fc.array(
        fc.record({
          id: fc.constantFrom(BLUEPRINT, ENVIRONMENT),
          serviceId: fc.constant(SERVICE),
          name: hostile,
          ...texts("type", "icon", "createdAt"),
        }),
        { maxLength: 2 },
      ),
    ),
    status: maybe(statusOf(SERVICE)),
    isGone: fc.boolean(),
    ingress,
    request,
  })
  .map(({ pass: of, siblings, status: shown, request, ingress, isGone }) => {
    const listed = of.supports("listServices") === "Supported" ? siblings : undefined;
    const isSeen = of.goal === "present" && listed?.some(({ id }) => id === BLUEPRINT) === true;
    const { requestId, finishedAt } = of.memory.lastDeployment ?? {};
    const isFollowed = isSeen && requestId !== undefined && finishedAt === undefined;
    return {
      pass: of,
      observed: {
        ...NOTHING_OBSERVED,
        siblings: listed,
        isGone: isGone && !isSeen && of.supports("listServices") === "Supported",
        status: isSeen ? shown : undefined,
        ingress: isSeen ? ingress : NOT_READ,
        request: isFollowed ? request : undefined,
      },
    };
  });
