import { Problem } from '../../../../shared/problem.ts';

/** Maximum depth of nesting: more than the schema of any tool needs, and safe for programs that parse recursively. */
export const MAX_DEPTH = 512;
/** Maximum number of members of the outermost object. No usual request comes close. */
export const MAX_MEMBERS = 10_000;
/** Maximum number of consecutive digits of a number: three times as many as the largest double has. */
export const MAX_DIGITS = 1000;

export function tooManyDigitsProblem(): Problem {
  return new Problem(
    'body_too_complex',
    `The JSON of this request has a number of more than ${MAX_DIGITS} digits, the maximum. Nothing was sent. Send it as a shorter number, or as text.`,
  );
}

export function tooDeepProblem(): Problem {
  return new Problem(
    'body_too_complex',
    `The JSON of this request is nested more than ${MAX_DEPTH} levels deep, the maximum. Nothing was sent. Send it with fewer levels.`,
  );
}

export function tooManyMembersProblem(): Problem {
  return new Problem(
    'body_too_complex',
    `The JSON of this request has more than ${MAX_MEMBERS} top-level members, the maximum. Nothing was sent. Send it with fewer members.`,
  );
}

export function tooManyValuesProblem(max: number): Problem {
  return new Problem(
    'body_too_complex',
    `The JSON of this order has more than ${max} values, the maximum. Nothing was sent. Send it with fewer values.`,
  );
}
