/** The tests of the actions in the form of Argo CD's repository, for the kind that has all actions. */
import { stringify } from "yaml";

import { planIn } from "../../src/engine/policies/policy-status.ts";
import { member } from "../../src/kube/api/json.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import { annotated, healthCases } from "../../test/health/cases.ts";

/** The placeholder for the time of the action, as in Argo CD's own tests. */
const TIME = "0001-01-01T00:00:00Z";

/** @returns action_test.yaml and its testdata, by path. */
export function actionTests(): ReadonlyMap<string, string> {
  const deployed = caseOf("platformapplication-state-deployed");
  const paused = annotated(deployed, "paused", "true");
  const planned = caseOf("platformapplication-approval");
  const objects = {
    deployed,
    paused,
    planned,
    reconciled: annotated(deployed, "reconcile-requested-at", TIME),
    resumed: { ...deployed, metadata: { ...deployed.metadata, annotations: {} } },
    approved: annotated(planned, "approved-plan", planIn(planned)?.hash ?? ""),
  };
  const tests = {
    discoveryTests: [
      { inputPath: "testdata/deployed.yaml", result: available({ redeploy: true }) },
      { inputPath: "testdata/paused.yaml", result: available({ redeploy: true, isPaused: true }) },
      { inputPath: "testdata/planned.yaml", result: available({ approve: true }) },
    ],
    actionTests: [
      test("reconcile", "deployed", "reconciled"),
      test("pause", "deployed", "paused"),
      test("resume", "paused", "resumed"),
      test("approve", "planned", "approved"),
      test("redeploy", "deployed", "redeploy"),
    ],
  };
  return new Map([
    ["action_test.yaml", stringify(tests)],
    ["testdata/redeploy.yaml", stringify(redeployOf(deployed))],
    ...Object.entries(objects).map(([name, object]) => [`testdata/${name}.yaml`, stringify(object)] as const),
  ]);
}

function caseOf(name: string): KubeObject {
  const found = healthCases.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no case ${name}`);
  return found.object;
}

const test = (action: string, from: string, to: string) => ({
  action,
  inputPath: `testdata/${from}.yaml`,
  expectedOutputPath: `testdata/${to}.yaml`,
});

interface Offer {
  readonly redeploy?: boolean;
  readonly approve?: boolean;
  readonly isPaused?: boolean;
}

function available({ redeploy = false, approve = false, isPaused = false }: Offer): readonly object[] {
  return [
    { name: "reconcile", disabled: isPaused, displayName: "Reconcile" },
    { name: "pause", disabled: isPaused, displayName: "Pause" },
    { name: "resume", disabled: !isPaused, displayName: "Resume" },
    ...(approve ? [{ name: "approve", disabled: isPaused, displayName: "Approve the plan" }] : []),
    { name: "redeploy", disabled: isPaused || !redeploy, displayName: "Redeploy" },
  ];
}

function redeployOf({ apiVersion, metadata, status }: KubeObject): object {
  return {
    apiVersion,
    kind: "PlatformOperation",
    metadata: { name: `${metadata.name}-redeploy-00010101000000`, namespace: metadata.namespace },
    spec: {
      type: "DeployApplication",
      applicationRef: { name: metadata.name },
      gitCommitId: member(member(status, "lastDeployment"), "gitCommitId"),
      ttlSecondsAfterFinished: 86_400,
    },
  };
}
