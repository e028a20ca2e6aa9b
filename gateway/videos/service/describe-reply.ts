import { ErrorBody } from '../../../shared/failure/error-body.ts';
import type { Reply } from './types.ts';

const MAX_WORDS = 300;

/** Describes a reply that is not the expected one: its status and the service's message. */
export function describeReply(reply: Reply): string {
  if (reply.kind === 'none') return reply.sentence;
  const message = findMessage(reply);
  const status = `The service answered with ${reply.status}`;
  return message === null ? `${status}.` : `${status}: ${withFullStop(message)}`;
}

function findMessage({ json, text }: Extract<Reply, { kind: 'answer' }>): string | null {
  const error = ErrorBody.safeParse(json);
  if (error.success) return error.data.error.message.slice(0, MAX_WORDS);
  // An HTML page is no message.
  const plain = json === undefined && !/^\s*</u.test(text) ? text.trim() : '';
  return plain === '' ? null : plain.slice(0, MAX_WORDS);
}

function withFullStop(sentence: string): string {
  return /[.!?]$/u.test(sentence) ? sentence : `${sentence}.`;
}

/** 4xx statuses about the key, the time or the number of requests, and not about the request itself (spec sections 5 and 8). */
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([401, 403, 408, 425, 429]);

/** Whether the service has definitely refused the request. */
export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !TEMPORARY_STATUSES.has(status);
}
