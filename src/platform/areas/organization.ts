import { z } from "zod";

import type { Caller, ReadOptions } from "../client/caller.ts";
import { read, write } from "../client/endpoints.ts";
import { json, nothing, wellShapedList } from "../codec/decode.ts";
import { sent } from "../codec/encode.ts";
import { flag, record, text, uuid } from "../codec/schema.ts";

/** The spec shows the one object type AWS; deployed services send eight, not all of them with an access key. */
const credentials = record({ id: uuid, name: text, access_key_id: text, object_type: text });

const repository = record({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  default_branch: text,
  is_private: flag,
});

const repositoryQuery = z.object({ gitTokenId: uuid.optional() });

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
