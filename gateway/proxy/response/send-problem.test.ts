import { describe, expect, test } from 'vitest';
import { ErrorBody } from '../../../shared/failure/error-body.ts';
import { PROBLEMS, Problem, type ProblemCode, toWireCode } from '../../../shared/problem.ts';
import { toFailureResponse } from './send-problem.ts';

const CODES = Object.keys(PROBLEMS).filter((code): code is ProblemCode => code in PROBLEMS);

describe('A response of Gatehouse itself', () => {
  test.each(CODES)(
    'with the problem %s has the status of its code and the error body of the service',
    (code) => {
      const { status, body } = toFailureResponse(new Problem(code, 'Say "why".'), 'chat');
      expect(status).toBe(PROBLEMS[code].status);
      expect(status).toBeGreaterThanOrEqual(400);
      const { error } = ErrorBody.parse(JSON.parse(body));
      const { type } = PROBLEMS[code];
      expect(error).toEqual({ message: 'Say "why".', type, code: toWireCode(code) });
    },
  );

  test('names itself an error on Messages routes only', () => {
    const problem = new Problem('internal_error', 'x');
    expect(JSON.parse(toFailureResponse(problem, 'messages').body)).toHaveProperty('type', 'error');
    for (const protocol of ['chat', 'responses', null] as const) {
      expect(JSON.parse(toFailureResponse(problem, protocol).body)).not.toHaveProperty('type');
    }
  });
});
