/** Commands on the organization: its projects, cloud providers, database types, repositories, credentials, invoices. */
import type { Entry } from "../base/command.ts";
import { CliError } from "../base/exit.ts";
import { apiCommand, readCommand } from "./declare.ts";

function same(left: string | undefined, right: string): boolean {
  return left?.toLowerCase() === right.toLowerCase();
}

export const ORGANIZATION: readonly Entry[] = [
  readCommand({
    name: "projects",
    about: "list the projects of the organization",
    operations: ["listProjects"],
    read: async (call) => (await call.platform()).projects.list(),
    view: {
      columns: { PROJECT: "name", ID: "id" },
      wide: { DESCRIPTION: "description", CREATED: "createdAt", UPDATED: "updatedAt" },
      name: ({ id }) => `project/${id}`,
      data: (project) => {
        // The platform's whole record, which only PUTs need.
        const { record: _, ...shown } = project;
        return shown;
      },
    },
  }),
  readCommand({
    name: "providers",
    about: "list the cloud providers",
    operations: ["listCloudProviders"],
    read: async (call) => (await call.platform()).catalog.cloudProviders(),
    view: {
      columns: { PROVIDER: "shortName", NAME: "name", REGIONS: ({ regions: { length } }) => length },
      wide: { LOGO: "logoUrl" },
      name: ({ shortName }) => `provider/${shortName}`,
    },
  }),
  readCommand({
    name: "regions",
    about: "list the regions and zones of a cloud provider",
    operations: ["listCloudProviders"],
    args: [{ name: "provider", about: "short name of the cloud provider, e.g. AWS" }],
    flags: {
      arm: { type: "switch", about: "only regions with ARM machines" },
      country: { type: "text", value: "COUNTRY", about: "only regions in this country, by code or name" },
    },
    read: async (call) => {
      const all = await (await call.platform()).catalog.cloudProviders();
      const provider = all.find(({ shortName }) => same(shortName, call.args.provider));
      if (provider === undefined) {
        const known = all.map(({ shortName }) => shortName).join(", ");
        throw new CliError(`The platform has no provider ${JSON.stringify(call.args.provider)}. It has ${known}.`);
      }
      const { arm, country } = call.flags;
      return provider.regions.filter(
        (region) =>
          (!arm || region.armSupported === true) &&
          (country === undefined || same(region.countryCode, country) || same(region.country, country)),
      );
    },
    view: {
      columns: { REGION: "name", COUNTRY: "countryCode", CITY: "city", ARM: "armSupported" },
      wide: { "COUNTRY-NAME": "country", ZONES: ({ zones }) => zones?.join(",") },
      name: ({ name }) => `region/${name}`,
    },
  }),
  readCommand({
    name: "database-types",
    about: "list the types of managed databases",
    operations: ["listManagedDatabaseTypes"],
    read: async (call) => (await call.platform()).catalog.managedDatabaseTypes(),
    view: {
      columns: { TYPE: "name" },
      name: ({ name }) => `databasetype/${name}`,
    },
  }),
  readCommand({
    name: "repositories",
    about: "list the git repositories of the connected account",
    operations: ["listGitRepositories"],
    flags: { "git-token-id": { type: "text", value: "ID", about: "git token to list with" } },
    details: "The platform may support this for API tokens only, not for connections with the Bearer scheme.",
    read: async (call) => {
      const gitTokenId = call.flags["git-token-id"];
      return (await call.platform()).organization.gitRepositories(gitTokenId === undefined ? {} : { gitTokenId });
    },
    view: {
      columns: { REPOSITORY: "name", BRANCH: "defaultBranch", PRIVATE: "isPrivate", URL: "url" },
      wide: { ID: "id" },
      name: ({ name }) => `repository/${name}`,
    },
  }),
  readCommand({
    name: "credentials show",
    about: "show cloud credentials",
    operations: ["getGcpCredentials"],
    args: [{ name: "id", about: "id of the credentials" }],
    read: async (call) => (await call.platform()).organization.gcpCredentials(call.args.id),
    view: {
      columns: { CREDENTIALS: "name", TYPE: "objectType", ID: "id" },
      wide: { "ACCESS-KEY-ID": "accessKeyId" },
      name: ({ id }) => `credentials/${id}`,
    },
  }),
  apiCommand({
    name: "invoices send",
    about: "request the invoices by e-mail",
    operations: ["sendInvoices"],
    details: "The platform sends them to the account holder by e-mail; nothing is downloaded.",
    run: async (call) => {
      await (await call.platform()).organization.sendInvoices();
      call.report("The platform sends the invoices to the account holder by e-mail.");
    },
  }),
];
