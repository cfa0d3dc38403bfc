import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

import { quickstart } from "../support/programs/quickstart.ts";

const Manifest = z.looseObject({ kind: z.string() });

it("the quickstart takes the reader's values, whatever characters they hold", () => {
  const values = {
    baseUrl: "http://127.0.0.1:8080",
    organizationId: "0b5e8a52-6a83-4f0b-9c6e-2f3a3d1c9a11",
    clusterId: "7c1f1c7e-2d2f-4f43-8a55-5d3f0a5b7e22",
    token: "secret: #1",
  };
  const documents = parseAllDocuments(quickstart(values)).map((document) => Manifest.parse(document.toJS()));
  const ofKind = (kind: string) => documents.filter((document) => document.kind === kind);
  expect(ofKind("PlatformConnection")).toMatchObject([
    { spec: { baseUrl: values.baseUrl, organizationId: values.organizationId } },
  ]);
  expect(ofKind("Secret")[0]).toMatchObject({ stringData: { token: values.token } });
  const onCluster = [...ofKind("PlatformEnvironment"), ...ofKind("PlatformBinding")];
  expect(onCluster).toHaveLength(3);
  for (const document of onCluster) {
    expect(document).toMatchObject({ spec: { clusterRef: { externalId: values.clusterId } } });
  }
});
