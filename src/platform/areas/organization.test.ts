import { describe, expect, it } from "vitest";

import { failureOf, startHarness } from "../../../test/support/platform/client.ts";
import { expectRefused, expectSent, ID, ORGANIZATION, type Sent } from "../../../test/support/platform/requests.ts";

const repositories = `GET /organization/${ORGANIZATION}/account/github/repository`;

describe("the organization", () => {
  it.each<Sent>([
    ["its repositories", (platform) => platform.organization.gitRepositories(), repositories, undefined],
    [
      "its repositories with one git token",
      (platform) => platform.organization.gitRepositories({ gitTokenId: ID }),
      `${repositories}?gitTokenId=${ID}`,
      undefined,
    ],
    [
      "its invoices",
      (platform) => platform.organization.sendInvoices(),
      `POST /organization/${ORGANIZATION}/downloadInvoices`,
      undefined,
    ],
  ])("is asked for %s", async (_name, call, request, body) => expectSent(call, request, body));

  it.each(["", "github"])("is not asked for its repositories with the git token %j", async (gitTokenId) =>
    expectRefused(
      (platform) => platform.organization.gitRepositories({ gitTokenId }, { maxAgeMs: 10_000 }),
      "gitTokenId: not a UUID",
    ),
  );

  it("is asked for its repositories with any token, and its answer counts", async () => {
    const { server, connect } = await startHarness();
    server.script({ status: 401, body: { status: 401, error: "Unauthorized", message: "Use an API token" } });
    const error = await failureOf(connect({ scheme: "Bearer" }).organization.gitRepositories());
    expect(error).toMatchObject({ failure: { is: "Unauthorized" }, operation: "listGitRepositories" });
    expect(error.message).toContain("Use an API token");
    expect(server.arrived).toHaveLength(1);
  });
});
