import { describe, expect, it } from "vitest";

import type { Answer } from "../../../test/support/kube/scripted-server.ts";
import { failureOf, startHarness, TOKEN } from "../../../test/support/platform/client.ts";
import { ID, OTHER } from "../../../test/support/platform/requests.ts";
import { DEFAULT_DEADLINES } from "./caller.ts";

const project = { id: ID, name: "web" };
const reset: Answer = (response) => void response.destroy();
const silence: Answer = () => {};
/** For calls without an answer: shorter than the pause before a retry. */
const SHORT_MS = 90;

it.each<[string, Answer, string, number]>([
  ["401", { status: 401 }, "Unauthorized", 1],
  ["404", { status: 404 }, "NotFound", 1],
  ["405", { status: 405 }, "NotSupported", 1],
  ["429", { status: 429 }, "RateLimited", 1],
  ["500", { status: 500 }, "Server", 3],
  ["501", { status: 501 }, "NotSupported", 1],
  ["503", { status: 503 }, "Server", 3],
  ["a reset", reset, "Unreachable", 3],
  ["no answer within the deadline", silence, "Unreachable", 1],
  ["an empty body", {}, "BadResponse", 1],
  ["HTML", { body: "<html>" }, "BadResponse", 1],
  ["half of a JSON", { body: `{"results": [{"id"` }, "BadResponse", 3],
  ["another shape", { body: { results: [{ id: ID }] } }, "BadResponse", 1],
  ["nested deeper than any stack", { body: `{"results":${"[".repeat(100_000)}` }, "BadResponse", 3],
  ["more than a list may have", { body: { results: " ".repeat(2 * 1024 * 1024) } }, "BadResponse", 1],
  ["an id that is none", { body: { results: [{ ...project, id: "../x" }] } }, "BadResponse", 1],
  ["a redirect", { status: 302, headers: { location: "/x" } }, "BadResponse", 1],
])("a read that fails with %s is repeated where that may help", async (_name, answer, failure, requests) => {
  const { server, calls, connect } = await startHarness(answer);
  const platform = connect(answer === silence ? { deadlines: { readMs: SHORT_MS } } : {});
  const error = await failureOf(platform.projects.list());
  expect(error.failure.is).toBe(failure);
  expect(error.operation).toBe("listProjects");
  expect(server.arrived).toHaveLength(requests);
  expect(calls.map((call) => call.failure)).toEqual(Array.from({ length: requests }, () => failure));
});

describe("[C4] an answer with a wrong content type", () => {
  const html = "<!DOCTYPE html><title>no</title>";

  const types = ["text/html", "application/json; charset=utf-7", "application/octet-stream", "nonsense", ""];
  it.each(types)("(%s) is read by its content", async (type) => {
    const { server, connect } = await startHarness();
    const headers = { "content-type": type };
    const { projects } = connect();
    server.script({ headers, body: { results: [project] } }, { headers, body: html });
    expect(await projects.list()).toMatchObject([{ id: ID, name: "web" }]);
    expect((await failureOf(projects.list())).failure.is).toBe("BadResponse");
    server.script({ status: 201, headers, body: project }, { status: 201, headers, body: html });
    expect(await projects.create({ name: "web" })).toMatchObject({ id: ID });
    expect((await failureOf(projects.create({ name: "web" }))).failure.is).toBe("OutcomeUnknown");
  });

  it("that says JSON and contains HTML is a BadResponse, and is not quoted", async () => {
    const { connect } = await startHarness({ headers: { "content-type": "application/json" }, body: html });
    const { failure, message } = await failureOf(connect().projects.list());
    expect(failure.is).toBe("BadResponse");
    expect(message).not.toContain("no</title>");
  });
});

describe("the record of a call", () => {
  it("has the ids of its path, the number of the attempt, and the platform's id of a deployment request", async () => {
    const { server, calls, connect } = await startHarness();
    const status = { id: ID, state: "DEPLOYED", deployment_request_id: OTHER };
    server.script({ status: 503 }, { body: status }, { status: 202, body: status }, { status: 409 });
    const { applications } = connect();
    await applications.status(ID);
    await applications.deploy(ID, "abcdef1");
    await failureOf(applications.deploy(ID, "abcdef1"));
    const ids = { applicationId: ID };
    expect(calls).toMatchObject([
      { operation: "getApplicationStatus", ids, attempt: 1, status: 503, requestId: undefined },
      { operation: "getApplicationStatus", ids, attempt: 2, status: 200, requestId: OTHER },
      { operation: "deployApplication", ids, attempt: 1, status: 202, requestId: OTHER },
      { operation: "deployApplication", ids, attempt: 1, status: 409, requestId: undefined },
    ]);
  });
});

it.each<[string, Answer, string]>([
  ["409", { status: 409 }, "Conflict"],
  ["422", { status: 422 }, "Invalid"],
  ["429", { status: 429 }, "RateLimited"],
  ["500", { status: 500 }, "OutcomeUnknown"],
  ["503", { status: 503 }, "OutcomeUnknown"],
  ["302", { status: 302, headers: { location: "/x" } }, "OutcomeUnknown"],
  ["a reset", reset, "OutcomeUnknown"],
  ["no answer", silence, "OutcomeUnknown"],
  ["no body where an id is due", { status: 201 }, "OutcomeUnknown"],
  ["no id", { body: { name: "web" } }, "OutcomeUnknown"],
  ["HTML", { body: "<html>" }, "OutcomeUnknown"],
])("a write that fails with %s is sent once", async (_name, answer, failure) => {
  const { server, connect } = await startHarness(answer);
  const platform = connect(answer === silence ? { deadlines: { writeMs: SHORT_MS } } : {});
  const error = await failureOf(platform.projects.create({ name: "web" }));
  expect(error.failure.is).toBe(failure);
  expect(server.arrived).toHaveLength(1);
});

it("a write that only computes a value fails like a read", async () => {
  const { server, connect } = await startHarness({ status: 500 });
  const error = await failureOf(connect().environments.helmDefaultValues(ID, {}));
  expect(error.failure.is).toBe("Server");
  expect(server.arrived).toHaveLength(1);
});

it("the message of an error is the platform's own, without the values that were sent as secrets", async () => {
  const { connect } = await startHarness({ status: 400, body: { detail: `${TOKEN}: hunter22 is weak\n\u202Eevil` } });
  const error = await failureOf(connect().secrets.create(ID, { key: "PASSWORD", value: "hunter22" }));
  expect(error.message).toBe("•••: ••• is weak evil");
});

it.each([
  [
    "names members, never values",
    { id: ID, state: 5, execution_id: "hunter22" },
    "the answer does not have the documented shape: state: Invalid input: expected string, received number",
  ],
  ["does not quote a body that is no JSON", "hunter22", "the answer is not JSON"],
])("the message of an error %s", async (_name, body, message) => {
  const { connect } = await startHarness({ body });
  expect((await failureOf(connect().applications.status(ID))).message).toBe(message);
});

it("[C3] the deadline is 15 s for a read with all its attempts, and 8 s for a write", () => {
  expect(DEFAULT_DEADLINES).toEqual({ readMs: 15_000, writeMs: 8_000 });
});
