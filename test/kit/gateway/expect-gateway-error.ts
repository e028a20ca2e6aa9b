import { expect } from 'vitest';
import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import { type ProblemCode, PROBLEMS, toWireCode } from '../../../shared/problem.ts';
import type { Harness } from './harness.ts';
import type { RawAnswer } from '../net/raw-http.ts';

/** Expects an error of Gatehouse: the service's error shape, a known code with its status, an exchange id, and a record. */
export async function expectGatewayError(
  harness: Harness,
  answer: RawAnswer,
  expected: { readonly code: ProblemCode; readonly shape?: 'messages'; readonly by?: string },
): Promise<ExchangeRecord> {
  const { code, shape, by = 'gateway' } = expected;
  const { status, type } = PROBLEMS[code];
  expect(answer.status, answer.body).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/json');
  const error = { message: expect.stringMatching(/^[A-Z].{20,}/s), type, code: toWireCode(code) };
  expect(answer.headers.get('x-gatehouse-error')).toBe(code);
  expect(JSON.parse(answer.body)).toEqual(
    shape === 'messages' ? { type: 'error', error } : { error },
  );
  const record = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
  expect(record).toMatchObject({ status, errorCode: code, endedBy: by });
  expect(record.bytesOut).toBe(Buffer.byteLength(answer.body, 'latin1'));
  expect(JSON.stringify(record) + answer.raw).not.toContain(harness.localKey);
  expect(JSON.stringify(record) + answer.raw).not.toContain(harness.sandbox.key);
  return record;
}
