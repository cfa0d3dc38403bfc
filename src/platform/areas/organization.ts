import { z } from "zod";

import type { Caller, ReadOptions } from "../client/caller.ts";
import { read, write } from "../client/endpoints.ts";
import { json, nothing, wellShapedList } from "../codec/decode.ts";
import { sent } from "../codec/encode.ts";
import { optional, optionalFlag, optionalStrings, optionalText, pathId, record, wellShaped } from "../codec/schema.ts";

/** The spec shows the one object type AWS; deployed services send eight, not all of them with an access key. */
const credentials = record({ id: pathId, name: optionalText, access_key_id: optionalText, object_type: optionalText });

const repository = record({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  default_branch: optionalText,
  is_private: optionalFlag,
});

const repositoryQuery = z.object({ gitTokenId: pathId.optional() });

export type CloudCredentials = z.output<typeof credentials>;
export type GitRepository = z.output<typeof repository>;
export type GitRepositoryQuery = z.input<typeof repositoryQuery>;

const repositoryList = wellShapedList(repository);

export function organization(caller: Caller) {
  return {
    /** Makes the platform send the invoices to the account holder by e-mail. */
    sendInvoices: write(caller, "sendInvoices", nothing),
    gcpCredentials: read(caller, "getGcpCredentials", json(credentials)),
    /** The specification lists only the API-token scheme for it; with another token the platform decides. */
    gitRepositories: (query: GitRepositoryQuery = {}, options?: ReadOptions) =>
      caller.read("listGitRepositories", [], {
        query: sent(repositoryQuery, query),
        answer: repositoryList,
        ...options,
      }),
  };
}

const region = record({
  name: z.string(),
  country_code: optionalText,
  country: optionalText,
  city: optionalText,
  arm_supported: optionalFlag,
  zones: optionalStrings,
});

const cloudProvider = record({
  short_name: z.string(),
  name: optionalText,
  logo_url: optionalText,
  regions: optional(wellShaped(region)).transform((given) => given ?? []),
});

const databaseType = record({ name: z.string() });

export type CloudProvider = z.output<typeof cloudProvider>;
export type ManagedDatabaseType = z.output<typeof databaseType>;

const cloudProviderList = wellShapedList(cloudProvider);
const databaseTypeList = wellShapedList(databaseType);

/** What the platform offers to everybody. */
export function catalogue(caller: Caller) {
  return {
    cloudProviders: read(caller, "listCloudProviders", cloudProviderList),
    /** The types of managed databases on AWS. */
    managedDatabaseTypes: read(caller, "listManagedDatabaseTypes", databaseTypeList),
  };
}
