/** `providers` and `regions`: where clusters can run. */
import type { CloudProvider } from "../../platform/areas/catalogue.ts";
import { command } from "../base/command.ts";
import { CliError } from "../base/exit.ts";
import { LIST_FORMATS } from "../base/globals.ts";
import { printList, type View } from "../base/render.ts";

type Region = CloudProvider["regions"][number];

const providerView: View<CloudProvider> = {
  columns: [
    { name: "PROVIDER", of: ({ shortName }) => shortName },
    { name: "NAME", of: ({ name }) => name },
    { name: "REGIONS", of: ({ regions }) => regions.length },
    { name: "LOGO", of: ({ logoUrl }) => logoUrl, wide: true },
  ],
  name: ({ shortName }) => `provider/${shortName}`,
};

const regionView: View<Region> = {
  columns: [
    { name: "REGION", of: ({ name }) => name },
    { name: "COUNTRY", of: ({ countryCode }) => countryCode },
    { name: "CITY", of: ({ city }) => city },
    { name: "ARM", of: ({ armSupported }) => armSupported },
    { name: "COUNTRY-NAME", of: ({ country }) => country, wide: true },
    { name: "ZONES", of: ({ zones }) => zones?.join(","), wide: true },
  ],
  name: ({ name }) => `region/${name}`,
};

export const providers = command({
  asks: "platform",
  formats: LIST_FORMATS,
  run: async (call) => printList(call, providerView, await (await call.platform()).catalogue.cloudProviders()),
});

export const regions = command({
  asks: "platform",
  formats: LIST_FORMATS,
  args: [{ name: "provider", about: "short name of the cloud provider, e.g. AWS" }],
  flags: {
    arm: { is: "switch", about: "only regions with ARM machines" },
    country: { is: "text", value: "COUNTRY", about: "only regions in this country, by code or name" },
  },
  run: async (call) => {
    const all = await (await call.platform()).catalogue.cloudProviders();
    const provider = all.find(({ shortName }) => same(shortName, call.args.provider));
    if (provider === undefined) {
      const known = all.map(({ shortName }) => shortName).join(", ");
      throw new CliError(`The platform has no provider ${JSON.stringify(call.args.provider)}. It has ${known}.`);
    }
    const { arm, country } = call.flags;
    const fits = (region: Region): boolean =>
      (!arm || region.armSupported === true) &&
      (country === undefined || same(region.countryCode, country) || same(region.country, country));
    await printList(call, regionView, provider.regions.filter(fits));
  },
});

function same(left: string | undefined, right: string): boolean {
  return left?.toLowerCase() === right.toLowerCase();
}
