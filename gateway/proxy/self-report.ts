import { createHash, timingSafeEqual } from 'node:crypto';
import { admit, headOf } from './admit.ts';
import type { Call } from './call.ts';
import { findFresh } from './identify.ts';
import { allowOrigin } from './local-answer.ts';
import type { ProxyParts } from './parts.ts';
import { answer } from './refuse.ts';
import { takeCredentials } from './repair/credentials.ts';

/** What Gatehouse tells of itself to programs of this user. */
export interface SelfReport {
  /** Opens both reports and nothing else; only this user can read it. */
  readonly key: string;
  /** In the text format of Prometheus. Every valid local key opens it, too. */
  readonly metrics: () => string;
  /** JSON. */
  readonly status: () => string;
}

const TEXT = 'text/plain; version=0.0.4; charset=utf-8';

/** Whether somebody asks for a report, whoever it is. */
export function asksForReport({ request }: Call): boolean {
  return request.method === 'GET' && (request.url === '/metrics' || request.url === '/status');
}

/** Answers who may have the report. False, and nothing done, for everybody else: they are refused on the ordinary way. */
export async function reportSelf(call: Call, parts: ProxyParts): Promise<boolean> {
  const { request } = call;
  const { report } = parts;
  const isMetrics = request.url === '/metrics';
  if (!(await mayAsk(call, parts, isMetrics))) return false;
  allowOrigin(call);
  const body = isMetrics ? report.metrics() : report.status();
  const headers = [
    'content-type',
    isMetrics ? TEXT : 'application/json',
    'cache-control',
    'no-store',
    'content-length',
    String(Buffer.byteLength(body)),
  ];
  await answer(call, { status: 200, headers, body });
  return true;
}

async function mayAsk(
  { request }: Call,
  parts: ProxyParts,
  withLocalKey: boolean,
): Promise<boolean> {
  try {
    admit(headOf(request), parts.gate);
  } catch {
    return false;
  }
  const { found } = takeCredentials(request.rawHeaders, request.url ?? '/');
  const tokens = found.map(({ token }) => token);
  if (tokens.some((token) => isSame(token, parts.report.key))) return true;
  if (!withLocalKey) return false;
  return (parts.clients.find(tokens) ?? (await findFresh(tokens, parts))) !== null;
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
