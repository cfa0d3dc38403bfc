import { expect, describe, it } from "vitest";

import { failureOf, startHarness } from "../../../test/support/platform/client.ts";
import { ID, itRefuses, itSends, ORGANIZATION } from "../../../test/support/platform/requests.ts";
import type { Platform } from "../index.ts";

const repositories = `GET /organization/${ORGANIZATION}/account/github/repository`;
const ofToken = (gitTokenId: string) => (platform: Platform) =>
  platform.organization.gitRepositories({ gitTokenId }, { maxAgeMs: 10_000 });
const invoices = `POST /organization/${ORGANIZATION}/downloadInvoices`;

describe("the organization", () => {
  itSends(
    ["its repositories", ({ organization }) => organization.gitRepositories(), repositories],
    ["its repositories with one git token", ofToken(ID), `${repositories}?gitTokenId=${ID}`],
    ["its invoices", ({ organization }) => organization.sendInvoices(), invoices],
  );

  itRefuses(
    ...["", "github"].map(
      (gitTokenId) => [`the git token ${gitTokenId}`, ofToken(gitTokenId), "gitTokenId: not a UUID"] as const,
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
