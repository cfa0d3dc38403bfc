/** Arguments of several commands. */
export const APPLICATION = {
  name: "application",
  about: "id of the application, or the name of a PlatformApplication",
} as const;

export const DATABASE = { name: "database", about: "id of the database, or the name of a PlatformDatabase" } as const;

export const CLUSTER = { name: "cluster", about: "id of the cluster, or the name of a PlatformCluster" } as const;
