/** Returns whether an argument names a run; otherwise it names an exchange. */
export function isRunId(text: string): boolean {
  return /^run-/iu.test(text);
}
