import { expect, it } from "vitest";

import { platformWith } from "../../../test/support/kinds/platform.ts";
import { ago, type Change, contextWith, SERVICE } from "../../../test/support/services/blueprints.ts";
import { observe } from "./observe.ts";

const lastDeployment = { startedAt: ago(60), state: "DEPLOYED", finishedAt: ago(1) };
const helm = { engine: "Helm" };

it.each<[string, Change, readonly string[]]>([
  ["a chart whose service is known", { spec: helm, memory: { lastDeployment } }, [`helm ${SERVICE}`]],
  ["a service of an engine that the spec does not name", { memory: { lastDeployment } }, [`helm ${SERVICE}`]],
  ["a chart whose service is not known", { spec: helm, memory: { lastDeployment, serviceId: undefined } }, []],
  ["a chart that was not deployed", { spec: helm }, []],
  ["a service of another engine", { spec: { engine: "Terraform" }, memory: { lastDeployment } }, []],
])("where no list shows the service, the ingress is read under its id: %s", async (_name, change, expected) => {
  const asked: string[] = [];
  const ingressStatus = (type: string, id: string) => {
    asked.push(`${type} ${id}`);
    return Promise.resolve({ status: "DEPLOYED" });
  };
  await observe(contextWith({ ...change, surface: "Documented" }), platformWith({ services: { ingressStatus } }));
  expect(asked).toEqual(expected);
});
