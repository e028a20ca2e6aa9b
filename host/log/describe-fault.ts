const MAX_LENGTH = 1_000_000;

/** Describes a thrown value for the log, with its stack if it has one. Accepts any value of any size. Never throws. */
export function describeFault(fault: unknown): string {
  try {
    const reason = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
    return reason.slice(0, MAX_LENGTH);
  } catch {
    return 'Something was thrown that cannot be put into words.';
  }
}
