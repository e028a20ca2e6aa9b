import type { Finding } from '../../shared/doctor/finding.ts';
import { formatDuration } from '../../shared/format.ts';
import { unknown } from './finding.ts';

/** One check. It stops when its signal is aborted, or else its result is ignored then. */
export interface Check {
  readonly name: string;
  readonly run: (signal: AbortSignal) => Promise<readonly Finding[]>;
}

/** When checks end early. */
export interface CheckLimits {
  /** The time of each check. */
  readonly timeoutMs: number;
  /** Stops all of them. */
  readonly signal: AbortSignal;
}

/**
 * Runs checks at the same time, and returns their findings in the order of the checks. One that fails, or takes too long, becomes a
 * finding that says so. Rejects with the signal's reason only.
 */
export async function runChecks(
  checks: readonly Check[],
  limits: CheckLimits,
): Promise<readonly Finding[]> {
  const found = await Promise.all(checks.map(async (check) => await runCheck(check, limits)));
  return found.flat();
}

async function runCheck(
  { name, run }: Check,
  { timeoutMs, signal }: CheckLimits,
): Promise<readonly Finding[]> {
  signal.throwIfAborted();
  const ending = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const stop = () => {
    ending.abort(signal.reason);
    reject(signal.reason);
  };
  signal.addEventListener('abort', stop);
  const timer = setTimeout(() => {
    const late = new Error(`No result came within ${formatDuration(timeoutMs)}.`);
    ending.abort(late);
    reject(late);
  }, timeoutMs);
  try {
    return await Promise.race([run(ending.signal), ended]);
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : 'no reason given';
    return [unknown(name, `The check “${name}” came to no result. ${reason}`)];
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
