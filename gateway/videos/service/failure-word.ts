import type { Candidate } from '../../../shared/video.ts';

/** Usual status words for a failure, alone or behind the name of a step. The specification names none (section 3). */
const FAILURE_WORD =
  /^(?!(?:not?|non|never|without)[_-])(?:[a-z]+[_-])*(?:fail(?:ed|ure)?|error(?:ed)?|cancell?ed|expired|rejected|timed[_-]?out|timeout|violation)$/iu;

/** Names of members in which services put a reason. */
const REASON_MEMBER = /error|reason|message|msg|detail|cause|fail|\/code$/iu;

/** Matches a text with words, also in scripts without spaces; no time, id or URL. */
const PROSE = /\p{L}\s+\p{L}|\p{Lo}{2}/u;

/**
 * Whether an unknown status word means a failure: it is a usual one and there is a reason beside it. `reasons` are the texts of the answer
 * that neither the request nor an earlier answer had.
 */
export function isFailureWithReason(word: string, reasons: readonly Candidate[]): boolean {
  if (!FAILURE_WORD.test(word)) return false;
  return reasons.some(({ pointer, value }) => REASON_MEMBER.test(pointer) || PROSE.test(value));
}
