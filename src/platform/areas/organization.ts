import { z } from "zod";

import type { Caller, ReadOptions } from "../client/caller.ts";
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

export interface Organization {
  /** Makes the platform send the invoices to the account holder by e-mail. */
  sendInvoices(): Promise<void>;
  gcpCredentials(credentialsId: string, options?: ReadOptions): Promise<CloudCredentials>;
  /** The specification lists only the API-token scheme for it; with another token the platform decides. */
  gitRepositories(query?: GitRepositoryQuery, options?: ReadOptions): Promise<readonly GitRepository[]>;
}

const repositoryList = wellShapedList(repository);

export function organization(caller: Caller): Organization {
  return {
    sendInvoices: () => caller.write("sendInvoices", {}, { answer: nothing }),
    gcpCredentials: (credentialsId, options) =>
      caller.read("getGcpCredentials", { credentialsId }, { answer: json(credentials), ...options }),
    gitRepositories: async (query = {}, options) =>
      caller.read(
        "listGitRepositories",
        {},
        { query: sent(repositoryQuery, query), answer: repositoryList, ...options },
      ),
  };
}
