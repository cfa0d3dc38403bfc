import { z } from "zod";

import type { Caller } from "../client/caller.ts";
import { read } from "../client/endpoints.ts";
import { wellShapedList } from "../codec/decode.ts";
import { flag, optional, record, strings, text, wellShaped } from "../codec/schema.ts";

const region = record({
  name: z.string(),
  country_code: text,
  country: text,
  city: text,
  arm_supported: flag,
  zones: strings,
});

const cloudProvider = record({
  short_name: z.string(),
  name: text,
  logo_url: text,
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
