import { PROBLEMS, type Problem, toWireCode } from '../../../shared/problem.ts';
import type { TextProtocol } from '../../../shared/chat.ts';

/** An answer of our own: the service's error body (spec section 7); on Messages routes also `type: "error"`. */
export interface FailureResponse {
  readonly status: number;
  readonly body: string;
}

export function toFailureResponse(
  problem: Problem,
  protocol: TextProtocol | null,
): FailureResponse {
  const { status, type } = PROBLEMS[problem.code];
  const error = { message: problem.message, type, code: toWireCode(problem.code) };
  const body = protocol === 'messages' ? { type: 'error', error } : { error };
  return { status, body: JSON.stringify(body) };
}
