import type { ConnectionTestReport, UpstreamForm } from '../../shared/upstream.ts';
import { explainKeyError, type KeyTestResult } from '../keys/keys.ts';
import { type ConnectionPoolOptions, openUpstreamConnections } from './connection-pool.ts';
import { judgeModelList, requestModelList } from './upstreams.ts';

export interface UpstreamTest {
  /** The parsed form. */
  readonly form: UpstreamForm;
  readonly key: string;
  readonly connecting: Omit<ConnectionPoolOptions, 'limits'>;
  readonly signal: AbortSignal;
}

/** The result of a test. */
export interface TestResult {
  readonly verdict: ConnectionTestReport;
  /** The parts of the sentence of `verdict`. */
  readonly words: KeyTestResult;
  /** The status of the answer; `null` when none came. */
  readonly status: number | null;
  /** The service's clock, Unix time in milliseconds; `null` when no answer tells. */
  readonly date: number | null;
}

const TIMEOUT_MS = 20_000;

/** Tests an upstream by a request for its model list, on separate connections. Rejects with the signal's reason. @throws UserError */
export async function testUpstream({
  form,
  key,
  connecting,
  signal,
}: UpstreamTest): Promise<TestResult> {
  const startedAt = performance.now();
  const { connections } = await openUpstreamConnections(form, connecting);
  const toReport = (words: KeyTestResult, models: number | null): ConnectionTestReport => ({
    works: words.accepted,
    sentence: [words.sentence, words.advice].filter(Boolean).join(' '),
    models,
    durationMs: performance.now() - startedAt,
  });
  try {
    const { baseUrl } = form;
    const dispatcher = connections.service;
    const ask = { baseUrl, key, timeoutMs: TIMEOUT_MS, signal, dispatcher };
    const answer = await requestModelList(ask);
    const { status, date } = answer;
    const { words, models } = judgeModelList(answer, null);
    return { verdict: toReport(words, models), words, status, date };
  } catch (error) {
    signal.throwIfAborted();
    const words = explainKeyError(error);
    return { verdict: toReport(words, null), words, status: null, date: null };
  } finally {
    await connections.close();
  }
}
