/**
 * Usual words for a task that waits or is in progress, alone or behind the name of the task. A word for success is not among them: the
 * specification names `completed` as the only one.
 */
const WORKING_WORD =
  /^(?:(?:task|job|video|render|status)[_ -])?(?:queued|in[_ -]?queue|queueing|pending|waiting|scheduled|submitted|accepted|received|created|initiali[sz]ing|preparing|starting|started|running|working|processing|rendering|generating|in[_ -]?progress)$/iu;

/**
 * Returns whether a status word means "still working" without a question to a person. A wrong guess costs nothing: such a task is
 * checked until its time limit, and a person is asked then.
 */
export function isUsualWorkingWord(word: string): boolean {
  return WORKING_WORD.test(word);
}
