import { RunDetail } from '../../../shared/run/run.ts';
import type { CleanBody } from '../clean-body.ts';
import type { Secrets } from '../protocol.ts';
import { removeDividedSecrets } from './divided-secrets.ts';
import type { SecretMask } from './secret-mask.ts';

// What leaves Gatehouse is masked once more: a key may be known only since it was stored, or by a newer rule.

/** Exchanges that are exported one after the other mostly begin alike. */
const RUN = 'export';
/** The word beside the end of a text that was cut; it may be a part of a key. */
const CUT_WORD = /^…[\w!#$%&*+\-./:=?@\\^|~]*|[\w!#$%&*+\-./:=?@\\^|~]*…$/gu;

/** Masks secrets in the stored bodies of an exchange; `null` when there are none. `masked` then counts those of both times. */
export async function maskBodiesAgain(
  bodies: readonly CleanBody[] | null,
  secrets: Secrets,
  mask: SecretMask,
): Promise<readonly CleanBody[] | null> {
  if (bodies === null) return null;
  const [masked = []] = await mask.maskAll([{ run: RUN, bodies }], secrets);
  const [clean = []] = await removeDividedSecrets([masked], mask);
  return clean;
}

/** Masks secrets in the texts of a run. They are cut, so the word beside a cut is removed. */
export async function maskRunAgain(
  run: RunDetail,
  secrets: Secrets,
  mask: SecretMask,
): Promise<RunDetail> {
  mask.use(secrets);
  const trimmed = mapTexts(run, (text) => text.replace(CUT_WORD, '…'));
  const texts = new Set<string>();
  mapTexts(trimmed, (text) => {
    texts.add(text);
    return text;
  });
  if (!(await mask.hasSecrets([...texts].join('\n')))) return RunDetail.parse(trimmed);
  const clean = new Map<string, string>();
  for (const text of texts) clean.set(text, await mask.cleanText(text));
  return RunDetail.parse(mapTexts(trimmed, (text) => clean.get(text) ?? ''));
}

/** Returns a JSON value with each of its texts changed. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one: unknown) => mapTexts(one, change));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, one]) => [name, mapTexts(one, change)]);
  return Object.fromEntries(fields);
}
