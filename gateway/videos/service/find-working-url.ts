import type { Candidate } from '../../../shared/video.ts';

/**
 * Of several addresses in the answer to an upload, the one that gives the file back: the spec shows neither the field's name (section
 * 2.5) nor what else is in the answer. All are asked at once, which is free. `null` when none does, or several.
 */
export async function findWorkingUrl(
  candidates: readonly Candidate[],
  gives: (address: string) => Promise<boolean>,
): Promise<Candidate | null> {
  const verdicts = await Promise.all(candidates.map(async ({ value }) => await gives(value)));
  const [only, ...more] = candidates.filter((_candidate, index) => verdicts[index]);
  return more.length === 0 ? (only ?? null) : null;
}
