import { z } from "zod";

import type { Caller, ReadOptions } from "../client/caller.ts";
import { read, write } from "../client/endpoints.ts";
import { json, ignoredBody, wellShapedList } from "../codec/decode.ts";
import { encodeWith } from "../codec/encode.ts";
import { optional, pathId, record, wellShaped } from "../codec/schema.ts";

/** The spec shows a single object type, AWS; deployed services send eight, not all of them with an access key. */
const credentials = record({
  id: pathId,
  name: optional.text,
  access_key_id: optional.text,
  object_type: optional.text,
});

const repository = record({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  default_branch: optional.text,
  is_private: optional.flag,
});

const repositoryQuery = z.object({ gitTokenId: pathId.optional() });

export type CloudCredentials = z.output<typeof credentials>;

const repositoryList = wellShapedList(repository);

/** @returns the operations of the organization's account; each function throws ApiError */
export function organization(caller: Caller) {
  return {
    /** Makes the platform send the invoices to the account holder by e-mail. */
    sendInvoices: write(caller, "sendInvoices", ignoredBody),
    gcpCredentials: read(caller, "getGcpCredentials", json(credentials)),
    /** The specification documents only the API-token scheme here; the platform may refuse other tokens. */
    gitRepositories: (query: z.input<typeof repositoryQuery> = {}, options?: ReadOptions) =>
      caller.read("listGitRepositories", [], {
        query: encodeWith(repositoryQuery, query),
        answer: repositoryList,
        ...options,
      }),
  };
}

const region = record({
  name: z.string(),
  country_code: optional.text,
  country: optional.text,
  city: optional.text,
  arm_supported: optional.flag,
  zones: optional.strings,
});

const cloudProvider = record({
  /** The whole API does not promise it. */
  short_name: optional.text,
  name: optional.text,
  logo_url: optional.text,
  regions: optional.of(wellShaped(region)).transform((given) => given ?? []),
});

const databaseType = record({ name: z.string() });

const cloudProviderList = wellShapedList(cloudProvider);
const databaseTypeList = wellShapedList(databaseType);

/** Reads of what the platform offers to every organization. */
export function catalogReads(caller: Caller) {
  return {
    cloudProviders: read(caller, "listCloudProviders", cloudProviderList),
    /** The types of managed databases on AWS. */
    managedDatabaseTypes: read(caller, "listManagedDatabaseTypes", databaseTypeList),
  };
}
