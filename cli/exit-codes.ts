/** The exit codes that `--help` documents. */
export const EXIT_CODES = { ok: 0, failed: 1, usage: 2 } as const;
