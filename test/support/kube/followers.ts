/** Other clients of the status page. */
import { expect } from "vitest";

/** Opens the largest number of streams, like that many open pages. @returns a function that closes them */
export async function takePlaces(url: string): Promise<() => Promise<void>> {
  const followers: Response[] = [];
  for (;;) {
    const response = await fetch(`${url}/api/events`);
    if (response.status === 503) break;
    expect(response.status).toBe(200);
    followers.push(response);
  }
  expect(followers).not.toEqual([]);
  return async () => {
    for (const { body } of followers) await body?.cancel();
  };
}
