import type { Candidate } from '../../../shared/video.ts';

/** Words that services use for an end without a video, alone or behind the name of a step. The specification names none of them (section 3). */
const FAILURE_WORD =
  /^(?!(?:not?|non|never|without)[_-])(?:[a-z]+[_-])*(?:fail(?:ed|ure)?|error(?:ed)?|cancell?ed|expired|rejected|timed[_-]?out|timeout|violation)$/iu;

/** Members that services put a reason in. */
const REASON_MEMBER = /error|reason|message|msg|detail|cause|fail|\/code$/iu;

/** Text with words in it, also in scripts that put no spaces between them; a time, an id or an address is none. */
const PROSE = /\p{L}\s+\p{L}|\p{Lo}{2}/u;

/**
 * Whether a status word that nobody has explained means a failure: the word is one of the usual ones and a reason stands beside it.
 * `reasons`: the texts of the answer that neither the request nor an earlier answer had.
 */
export function isFailureWithReason(word: string, reasons: readonly Candidate[]): boolean {
  if (!FAILURE_WORD.test(word)) return false;
  return reasons.some(({ pointer, value }) => REASON_MEMBER.test(pointer) || PROSE.test(value));
}
