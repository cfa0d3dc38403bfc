import { z } from "zod";

import { Problem } from "../base/problems.ts";
import { checkOrganization } from "../request/lookups.ts";
import { route } from "../request/route.ts";
import { Id, listOf } from "../request/schemas.ts";

const Region = z.object({
  name: z.string(),
  country_code: z.string(),
  country: z.string(),
  city: z.string(),
  arm_supported: z.boolean(),
  zones: z.array(z.string()),
});

const providers = [
  provider("AWS", "Amazon Web Services", [
    region("eu-west-3", "FR", "France", "Paris", ["eu-west-3a", "eu-west-3b", "eu-west-3c"]),
    region("us-east-1", "US", "United States", "Virginia", ["us-east-1a", "us-east-1b"]),
  ]),
  provider("GCP", "Google Cloud Platform", [
    region("europe-west9", "FR", "France", "Paris", ["europe-west9-a", "europe-west9-b"]),
  ]),
  provider("SCW", "Scaleway", [region("fr-par", "FR", "France", "Paris", ["fr-par-1", "fr-par-2"])]),
];
const databaseTypes = ["POSTGRESQL", "MYSQL", "MONGODB", "REDIS"];

export const cloudRoutes = [
  route({
    operation: "listCloudProviders",
    input: {},
    answer: listOf(
      z.object({ short_name: z.string(), name: z.string(), logo_url: z.string(), regions: z.array(Region) }),
    ),
    handle: () => ({ body: { results: providers } }),
  }),
  route({
    operation: "listManagedDatabaseTypes",
    input: {},
    answer: listOf(z.object({ name: z.string() })),
    handle: () => ({ body: { results: databaseTypes.map((name) => ({ name })) } }),
  }),
  route({
    operation: "getGcpCredentials",
    input: { params: z.object({ organizationId: Id, credentialsId: Id }) },
    answer: z.object({ id: Id, name: z.string(), access_key_id: z.string(), object_type: z.string() }),
    handle({ params }, call) {
      checkOrganization(call, params.organizationId);
      const found = call.sim.world.credentials.get(params.credentialsId);
      if (found?.organizationId !== params.organizationId) {
        throw new Problem(404, `No credentials with id ${params.credentialsId}`);
      }
      const { id, name, accessKeyId, objectType } = found;
      return { body: { id, name, access_key_id: accessKeyId, object_type: objectType } };
    },
  }),
];

function provider(shortName: string, name: string, regions: readonly z.infer<typeof Region>[]): object {
  return { short_name: shortName, name, logo_url: `https://cdn.invalid/${shortName.toLowerCase()}.svg`, regions };
}

function region(name: string, code: string, country: string, city: string, zones: string[]): z.infer<typeof Region> {
  return { name, country_code: code, country, city, arm_supported: true, zones };
}
