/** Small reads of the organization: database types, git repositories, credentials, projects. */
import type { ManagedDatabaseType } from "../../platform/areas/catalogue.ts";
import type { CloudCredentials, GitRepository } from "../../platform/areas/organization.ts";
import type { Project } from "../../platform/areas/projects.ts";
import { command } from "../base/command.ts";
import { LIST_FORMATS } from "../base/globals.ts";
import { printList, printOne, type View } from "../base/render.ts";

const databaseTypeView: View<ManagedDatabaseType> = {
  columns: [{ name: "TYPE", of: ({ name }) => name }],
  name: ({ name }) => `databasetype/${name}`,
};

const repositoryView: View<GitRepository> = {
  columns: [
    { name: "REPOSITORY", of: ({ name }) => name },
    { name: "BRANCH", of: ({ defaultBranch }) => defaultBranch },
    { name: "PRIVATE", of: ({ isPrivate }) => isPrivate },
    { name: "URL", of: ({ url }) => url },
    { name: "ID", of: ({ id }) => id, wide: true },
  ],
  name: ({ name }) => `repository/${name}`,
};

const credentialsView: View<CloudCredentials> = {
  columns: [
    { name: "CREDENTIALS", of: ({ name }) => name },
    { name: "TYPE", of: ({ objectType }) => objectType },
    { name: "ID", of: ({ id }) => id },
    { name: "ACCESS-KEY-ID", of: ({ accessKeyId }) => accessKeyId, wide: true },
  ],
  name: ({ id }) => `credentials/${id}`,
};

const projectView: View<Project> = {
  columns: [
    { name: "PROJECT", of: ({ name }) => name },
    { name: "ID", of: ({ id }) => id },
    { name: "DESCRIPTION", of: ({ description }) => description, wide: true },
    { name: "CREATED", of: ({ createdAt }) => createdAt, wide: true },
    { name: "UPDATED", of: ({ updatedAt }) => updatedAt, wide: true },
  ],
  name: ({ id }) => `project/${id}`,
  data: (project) => {
    // The platform's whole record, which only PUTs need.
    const { record: _, ...shown } = project;
    return shown;
  },
};

export const databaseTypes = command({
  asks: "platform",
  formats: LIST_FORMATS,
  run: async (call) =>
    printList(call, databaseTypeView, await (await call.platform()).catalogue.managedDatabaseTypes()),
});

export const repositories = command({
  asks: "platform",
  formats: LIST_FORMATS,
  flags: { "git-token-id": { is: "text", value: "ID", about: "git token to look with" } },
  details: "The platform may answer this for API tokens only, not for connections with the Bearer scheme.",
  run: async (call) => {
    const gitTokenId = call.flags["git-token-id"];
    const query = gitTokenId === undefined ? {} : { gitTokenId };
    await printList(call, repositoryView, await (await call.platform()).organization.gitRepositories(query));
  },
});

export const credentials = command({
  asks: "platform",
  formats: LIST_FORMATS,
  args: [{ name: "id", about: "id of the credentials" }],
  run: async (call) =>
    printOne(call, credentialsView, await (await call.platform()).organization.gcpCredentials(call.args.id)),
});

export const projects = command({
  asks: "platform",
  formats: LIST_FORMATS,
  run: async (call) => printList(call, projectView, await (await call.platform()).projects.list()),
});
