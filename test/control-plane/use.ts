/** Whether the tests of the file that runs used an API server: docs/reliability.md calls those alone real. */
let isUsed = false;

export const apiServerUse = {
  /** Begins a test file. */
  begin: (): void => {
    isUsed = false;
  },
  note: (): void => {
    isUsed = true;
  },
  isNoted: (): boolean => isUsed,
} as const;
