const MAX_LENGTH = 1_000_000;

/** Where a fault came from, for the log: its stack if it has one. Anything may have been thrown, of any size. Never throws. */
export function describeFault(fault: unknown): string {
  try {
    const reason = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
    return reason.slice(0, MAX_LENGTH);
  } catch {
    return 'Something was thrown that cannot be put into words.';
  }
}
