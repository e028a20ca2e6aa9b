import type { Candidate } from '../../../shared/video/video.ts';

/**
 * Finds the one of several addresses that returns the uploaded file, because the spec does not name the field (section 2.5). All are
 * requested at once, which is free. Resolves with `null` when none works, or several.
 */
export async function findWorkingUrl(
  candidates: readonly Candidate[],
  gives: (address: string) => Promise<boolean>,
): Promise<Candidate | null> {
  const verdicts = await Promise.all(candidates.map(async ({ value }) => await gives(value)));
  const [only, ...more] = candidates.filter((_candidate, index) => verdicts[index]);
  return more.length === 0 ? (only ?? null) : null;
}
