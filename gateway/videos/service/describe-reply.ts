import { ErrorBody } from '../../../shared/problem.ts';
import type { Reply } from './types.ts';

const MAX_WORDS = 300;

/** What came instead of what was asked for, in words: the status, and what the service says about it. */
export function describeReply(reply: Reply): string {
  if (reply.kind === 'none') return reply.sentence;
  const said = findMessage(reply);
  const status = `The service answered ${reply.status}`;
  return said === null ? `${status}.` : `${status}: ${withFullStop(said)}`;
}

function findMessage({ json, text }: Extract<Reply, { kind: 'answer' }>): string | null {
  const error = ErrorBody.safeParse(json);
  if (error.success) return error.data.error.message.slice(0, MAX_WORDS);
  // A page for people is no sentence.
  const plain = json === undefined && !/^\s*</u.test(text) ? text.trim() : '';
  return plain === '' ? null : plain.slice(0, MAX_WORDS);
}

function withFullStop(sentence: string): string {
  return /[.!?]$/u.test(sentence) ? sentence : `${sentence}.`;
}

/** 4xx that say nothing about what was asked for: the key, the time, the number of requests (spec sections 5 and 8). */
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([401, 403, 408, 425, 429]);

/** The service has definitely said no. */
export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !TEMPORARY_STATUSES.has(status);
}
