/** A real image registry on loopback, without TLS and users. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { freePort } from "../../support/programs/free-port.ts";
import { listening, startProgram } from "../../support/programs/programs.ts";
import { findDebianProgram } from "../../tools/debian.ts";

export type Registry = Awaited<ReturnType<typeof startRegistry>>;

/** The media types of image manifests, of OCI and Docker. */
const MANIFESTS = "application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json";

/** @param dir the folder for pushed images */
export async function startRegistry(dir: string) {
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const config = join(dir, "registry.json");
  await mkdir(join(dir, "registry"));
  const storage = { filesystem: { rootdirectory: join(dir, "registry") } };
  // JSON is valid YAML.
  await writeFile(config, JSON.stringify({ version: "0.1", log: { level: "warn" }, storage, http: { addr: host } }));
  const program = startProgram({ file: await findDebianProgram("docker-registry"), args: ["serve", config] });
  await listening(program, port);
  return {
    /** "127.0.0.1:12345", the first part of an image's name. */
    host,
    /**
     * GET below /v2/ (OCI distribution specification). @returns the answer's JSON. @throws Error for another answer
     * than 200
     */
    get: async (path: string): Promise<unknown> => {
      const response = await fetch(`http://${host}/v2/${path}`, { headers: { accept: MANIFESTS } });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response.json();
    },
    stop: () => program.stop(),
  };
}
