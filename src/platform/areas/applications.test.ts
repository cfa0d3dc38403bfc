import { describe, expect, it } from "vitest";

import { ID, itRefuses, itSends, LONE_SURROGATE, OTHER } from "../../../test/support/platform/requests.ts";
import type { Platform } from "../index.ts";
import { type Application, type ApplicationInput, gitProvider } from "./applications.ts";

const url = "https://github.com/acme/web.git";
const input: ApplicationInput = { name: "web", gitRepository: { url } };

const repository = { url, branch: "main", provider: "GITHUB", root_path: "/app" };
const chosen = { name: "web", external_port: 443, protocol: "HTTP", is_default: true };
const ports = [
  { id: ID, internal_port: "unreadable" },
  { id: OTHER, internal_port: 8080, publicly_accessible: true, ...chosen },
  { id: ID, internal_port: 9090 },
];
const stored = { git_repository: repository, ports, cpu: 500, auto_deploy: false };
const record = { id: ID, name: "web", ...stored, created_at: "2026-11-21T10:00:00Z", environment: { id: OTHER } };
const current: Application = { id: ID, name: "web", record };

const create =
  (change: Partial<ApplicationInput>, extended = false) =>
  (platform: Platform) =>
    platform.applications.create(ID, { ...input, ...change }, { extended });
const update = (change: Partial<ApplicationInput>) => (platform: Platform) =>
  platform.applications.update(current, { ...input, ...change });
const deploy = (commit: string) => (platform: Platform) => platform.applications.deploy(ID, commit);
const log = (tail: number) => (platform: Platform) => platform.applications.log(ID, tail);
const [post, put] = [`POST /environment/${ID}/application`, `PUT /application/${ID}`];
const branch = "main";
const onMain = { gitRepository: { url, branch } };
const sizes = { cpu: 250, memory: 512.5 };
const [NUMBER, INTEGER] = ["Invalid input: expected number, received", "Invalid input: expected int, received number"];

describe("the request for an application", () => {
  itSends(
    ["created with documented members alone", create(onMain), post, { name: "web", git_repository: { url, branch } }],
    [
      "created with health checks and its provider, where they are required",
      create(onMain, true),
      post,
      {
        name: "web",
        healthchecks: {},
        git_repository: { url, branch: "main", provider: "GITHUB" },
        auto_deploy: false,
        auto_preview: false,
      },
    ],
    [
      "created as the spec sets the automatisms, with the protocol of each port",
      create({ ...onMain, autoDeploy: true, autoPreview: true, ports: [{ internalPort: 80 }] }, true),
      post,
      {
        name: "web",
        healthchecks: {},
        git_repository: { url, branch: "main", provider: "GITHUB" },
        ports: [{ internal_port: 80, protocol: "HTTP", publicly_accessible: false }],
        auto_deploy: true,
        auto_preview: true,
      },
    ],
    [
      "created with every setting",
      create({
        gitRepository: { url: "git@git.acme.dev:web.git", branch, provider: "GITLAB", rootPath: "/" },
        buildMode: "DOCKER",
        dockerfilePath: "Dockerfile",
        ...sizes,
        minRunningInstances: 0,
        maxRunningInstances: -1,
        ports: [{ internalPort: 80, externalPort: 443, protocol: "HTTP", publiclyAccessible: true }],
      }),
      post,
      {
        name: "web",
        git_repository: { url: "git@git.acme.dev:web.git", branch, provider: "GITLAB", root_path: "/" },
        build_mode: "DOCKER",
        dockerfile_path: "Dockerfile",
        ...sizes,
        min_running_instances: 0,
        max_running_instances: -1,
        ports: [{ internal_port: 80, external_port: 443, protocol: "HTTP", publicly_accessible: true }],
      },
    ],
    [
      "created with every setting of the whole API",
      create({
        gitRepository: { url, branch, gitTokenId: OTHER },
        ports: [{ internalPort: 80, name: "http", publicPath: "/api" }],
        storage: [{ mountPoint: "/data", size: 10, type: "FAST_SSD" }],
        entrypoint: "/bin/web",
        arguments: ["serve", "--quiet"],
        healthchecks: { readiness_probe: { type: { tcp: { port: 80 } } } },
      }),
      post,
      {
        name: "web",
        git_repository: { url, branch, git_token_id: OTHER },
        ports: [{ internal_port: 80, name: "http", public_path: "/api", publicly_accessible: false }],
        storage: [{ mount_point: "/data", size: 10, type: "FAST_SSD" }],
        entrypoint: "/bin/web",
        arguments: ["serve", "--quiet"],
        healthchecks: { readiness_probe: { type: { tcp: { port: 80 } } } },
      },
    ],
    [
      "changed on top of what is there, ports under their ids with what the platform chose",
      update({
        name: "shop",
        gitRepository: { url, branch: "next" },
        ports: [{ internalPort: 8080, protocol: "GRPC", externalPort: undefined }, { internalPort: 7070 }],
      }),
      put,
      {
        ...stored,
        healthchecks: {},
        name: "shop",
        git_repository: { ...repository, branch: "next" },
        ports: [
          { ...chosen, id: OTHER, internal_port: 8080, publicly_accessible: false, protocol: "GRPC" },
          { internal_port: 7070, protocol: "HTTP", publicly_accessible: false },
        ],
      },
    ],
    [
      "changed with its disks under their ids, as a disk without one is a new one",
      (platform) => {
        const disk = { id: OTHER, mount_point: "/data", size: 10, type: "FAST_SSD" };
        const storing = { ...current, record: { ...record, storage: [disk] } };
        const storage = [
          { mountPoint: "/cache", size: 5 },
          { mountPoint: "/data", size: 20 },
        ];
        return platform.applications.update(storing, { ...input, storage });
      },
      put,
      {
        ...stored,
        healthchecks: {},
        name: "web",
        storage: [
          { mount_point: "/cache", size: 5, type: "FAST_SSD" },
          { id: OTHER, mount_point: "/data", size: 20, type: "FAST_SSD" },
        ],
      },
    ],
    ["changed in nothing but its name", update({ name: "shop" }), put, { ...stored, healthchecks: {}, name: "shop" }],
    ["deployed at its commit", deploy("ABCdef1"), `POST /application/${ID}/deploy`, { git_commit_id: "ABCdef1" }],
    ["asked for its log", log(5), `GET /application/${ID}/log?tail=5`],
  );

  itRefuses(
    ["no name", create({ name: "" }), "name: blank"],
    ["no repository", create({ gitRepository: { url: "" } }), "gitRepository.url: blank"],
    ["half a character", create({ buildMode: LONE_SURROGATE }), "buildMode: not well-formed Unicode"],
    ["no cpu and memory", create({ cpu: NaN, memory: Infinity }), `cpu: ${NUMBER} NaN; memory: ${NUMBER} Infinity`],
    ["half an instance", create({ minRunningInstances: 0.5 }), `minRunningInstances: ${INTEGER}`],
    ["a port that is none", update({ ports: [{ internalPort: NaN }] }), `ports.0.internalPort: ${NUMBER} NaN`],
    ...["", "main", "abcdef", "a".repeat(65), "abcdef1\n", " abcdef1", "HEAD~1"].map(
      (commit) => [`the commit ${commit}`, deploy(commit), "gitCommitId: not 7 to 64 hex digits"] as const,
    ),
    ["a log of no lines", log(0), "tail: Too small: expected number to be >=1"],
    ["a log of half a line", log(1.5), `tail: ${INTEGER}`],
    ["a log of lines that are no number", log(NaN), `tail: ${NUMBER} NaN`],
  );
});

it.each([
  ["https://github.com/acme/web.git", "GITHUB"],
  ["https://GitHub.acme.com/web", "GITHUB"],
  ["git@gitlab.com:acme/web.git", "GITLAB"],
  ["ssh://git@bitbucket.org/acme/web.git", "BITBUCKET"],
  ["https://git.acme.com/github/web.git", undefined],
  ["git@git.acme.com:github/web.git", undefined],
  ["not a url", undefined],
  ["", undefined],
])("the git provider of %j is %s", (url, expected) => {
  expect(gitProvider(url)).toBe(expected);
});
