import { describe, it } from "vitest";

import {
  expectRefused,
  expectSent,
  ID,
  LONE_SURROGATE,
  OTHER,
  type Refused,
  type Sent,
} from "../../../test/support/platform/requests.ts";
import type { Application, ApplicationInput } from "./applications.ts";

const url = "https://github.com/acme/web.git";
const input: ApplicationInput = { name: "web", gitRepository: { url } };

const repository = { url, branch: "main", provider: "GITHUB", root_path: "/app" };
const current: Application = {
  id: ID,
  name: "web",
  ports: [
    { id: OTHER, internalPort: 8080, publiclyAccessible: true },
    { id: ID, internalPort: 9090 },
  ],
  record: {
    id: ID,
    name: "web",
    git_repository: repository,
    ports: [
      { id: OTHER, internal_port: 8080, publicly_accessible: true },
      { id: ID, internal_port: 9090 },
    ],
    cpu: 500,
    auto_deploy: false,
    created_at: "2026-11-21T10:00:00Z",
    environment: { id: OTHER },
  },
};

describe("an application", () => {
  it.each<Sent>([
    [
      "created with the documented members alone",
      (platform) => platform.applications.create(ID, { ...input, gitRepository: { url, branch: "main" } }),
      `POST /environment/${ID}/application`,
      { name: "web", git_repository: { url, branch: "main" } },
    ],
    [
      "created with health checks and its provider, where they are required",
      (platform) =>
        platform.applications.create(ID, { ...input, gitRepository: { url, branch: "main" } }, { extended: true }),
      `POST /environment/${ID}/application`,
      { name: "web", healthchecks: {}, git_repository: { url, branch: "main", provider: "GITHUB" } },
    ],
    [
      "created with every setting",
      (platform) =>
        platform.applications.create(ID, {
          name: "web",
          gitRepository: { url: "git@git.acme.dev:web.git", branch: "main", provider: "GITLAB", rootPath: "/" },
          buildMode: "DOCKER",
          dockerfilePath: "Dockerfile",
          cpu: 250,
          memory: 512.5,
          minRunningInstances: 0,
          maxRunningInstances: -1,
          ports: [{ internalPort: 80, externalPort: 443, protocol: "HTTP", publiclyAccessible: true }],
        }),
      `POST /environment/${ID}/application`,
      {
        name: "web",
        git_repository: { url: "git@git.acme.dev:web.git", branch: "main", provider: "GITLAB", root_path: "/" },
        build_mode: "DOCKER",
        dockerfile_path: "Dockerfile",
        cpu: 250,
        memory: 512.5,
        min_running_instances: 0,
        max_running_instances: -1,
        ports: [{ internal_port: 80, external_port: 443, protocol: "HTTP", publicly_accessible: true }],
      },
    ],
    [
      "changed on top of what is there, ports under their ids",
      (platform) =>
        platform.applications.update(current, {
          name: "shop",
          gitRepository: { url, branch: "next" },
          ports: [{ internalPort: 8080 }, { internalPort: 7070 }],
        }),
      `PUT /application/${ID}`,
      {
        healthchecks: {},
        name: "shop",
        git_repository: { ...repository, branch: "next" },
        ports: [
          { id: OTHER, internal_port: 8080, publicly_accessible: false },
          { internal_port: 7070, publicly_accessible: false },
        ],
        cpu: 500,
        auto_deploy: false,
      },
    ],
    [
      "changed in nothing but its name",
      (platform) => platform.applications.update(current, { ...input, name: "shop" }),
      `PUT /application/${ID}`,
      {
        healthchecks: {},
        name: "shop",
        git_repository: repository,
        ports: current.record["ports"],
        cpu: 500,
        auto_deploy: false,
      },
    ],
    [
      "deployed at its commit",
      (platform) => platform.applications.deploy(ID, "ABCdef1"),
      `POST /application/${ID}/deploy`,
      { git_commit_id: "ABCdef1" },
    ],
    [
      "asked for its log",
      (platform) => platform.applications.log(ID, 5),
      `GET /application/${ID}/log?tail=5`,
      undefined,
    ],
  ])("is sent: %s", async (_name, call, request, body) => expectSent(call, request, body));

  it.each<Refused>([
    ["no name", (platform) => platform.applications.create(ID, { ...input, name: "" }), "name: blank"],
    ["no name in a PUT", (platform) => platform.applications.update(current, { ...input, name: "" }), "name: blank"],
    [
      "no repository",
      (platform) => platform.applications.create(ID, { name: "web", gitRepository: { url: "" } }),
      "gitRepository.url: blank",
    ],
    [
      "half a character",
      (platform) => platform.applications.create(ID, { ...input, buildMode: LONE_SURROGATE }),
      "buildMode: not well-formed Unicode",
    ],
    [
      "numbers that are none",
      (platform) => platform.applications.create(ID, { ...input, cpu: NaN, memory: Infinity }),
      "cpu: Invalid input: expected number, received NaN; memory: Invalid input: expected number, received Infinity",
    ],
    [
      "half an instance",
      (platform) => platform.applications.create(ID, { ...input, minRunningInstances: 0.5 }),
      "minRunningInstances: Invalid input: expected int, received number",
    ],
    [
      "a port that is none",
      (platform) => platform.applications.update(current, { ...input, ports: [{ internalPort: NaN }] }),
      "ports.0.internalPort: Invalid input: expected number, received NaN",
    ],
  ])("is refused: %s", async (_name, call, complaint) => expectRefused(call, complaint));

  it.each(["", "main", "abcdef", "a".repeat(65), "abcdef1\n", " abcdef1", "HEAD~1"])(
    "is not deployed at %j",
    async (commit) =>
      expectRefused((platform) => platform.applications.deploy(ID, commit), "gitCommitId: not 7 to 64 hex digits"),
  );

  it.each([
    [0, "tail: Too small: expected number to be >=1"],
    [1.5, "tail: Invalid input: expected int, received number"],
    [NaN, "tail: Invalid input: expected number, received NaN"],
  ])("is not asked for %j lines", async (tail, complaint) =>
    expectRefused((platform) => platform.applications.log(ID, tail), complaint),
  );
});
