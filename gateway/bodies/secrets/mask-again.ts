import type { EarlierMessages } from '../../../shared/exchange/body.ts';
import { RunDetail } from '../../../shared/run/run.ts';
import type { CleanBody } from '../clean-body.ts';
import type { Secrets } from '../protocol.ts';
import { LENGTHS } from '../runs/build-step.ts';
import { SHOWN_AFTER, SHOWN_BEFORE } from '../runs/find-change.ts';
import { removeDividedSecrets } from './divided-secrets.ts';
import type { PlainExchange, SecretMask } from './secret-mask.ts';

// What leaves Gatehouse is masked once more: a key may be known only since it was stored, or by a newer rule.

/** Exchanges that are exported one after the other mostly begin alike. */
const RUN = 'export';
/** Messages before those of a request begin like those of other exchanges, and unlike the request. */
const EARLIER_RUN = 'earlier';
/** What is beside the end of a text that was cut may be a part of a key; these are the characters of one. */
const KEY_CHARACTER = /[\w!#$%&*+\-./:=?@\\^|~]/u;
const CUT = '…';
const CUT_LENGTHS: ReadonlySet<number> = new Set(Object.values(LENGTHS));
const WHOLE = {
  side: 'sent',
  tail: Buffer.alloc(0),
  binary: false,
  omitted: 0,
  contentType: 'application/json',
  masked: 0,
  eventTimes: null,
} satisfies Partial<CleanBody>;

/** Masks secrets in the stored bodies of an exchange; `null` when there are none. `masked` then counts those of both times. */
export async function maskBodiesAgain(
  bodies: readonly CleanBody[] | null,
  secrets: Secrets,
  mask: SecretMask,
): Promise<readonly CleanBody[] | null> {
  return bodies === null ? null : await maskOnceMore({ run: RUN, bodies }, secrets, mask);
}

async function maskOnceMore(
  exchange: PlainExchange,
  secrets: Secrets,
  mask: SecretMask,
): Promise<readonly CleanBody[]> {
  const [masked = []] = await mask.maskAll([exchange], secrets);
  const [clean = []] = await removeDividedSecrets([masked], mask);
  return clean;
}

/** Masks secrets in the messages before those of a request. */
export async function maskEarlierAgain(
  earlier: EarlierMessages | undefined,
  secrets: Secrets,
  mask: SecretMask,
): Promise<EarlierMessages | undefined> {
  if (earlier === undefined) return undefined;
  const head = Buffer.from(earlier.items);
  const body = { ...WHOLE, head, bytes: head.length };
  const [masked] = await maskOnceMore({ run: EARLIER_RUN, bodies: [body] }, secrets, mask);
  return { ...earlier, items: masked?.head.toString() ?? '[]' };
}

/** Masks secrets in the texts of a run. They are cut, so the word beside a cut is removed. */
export async function maskRunAgain(
  run: RunDetail,
  secrets: Secrets,
  mask: SecretMask,
): Promise<RunDetail> {
  mask.use(secrets);
  const trimmed = mapTexts(run, dropCutWords);
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

/** Removes the word beside each end of a text that was cut. One that ends so by itself has another length. */
function dropCutWords(text: string): string {
  const { length } = text;
  const mayBeLine = length <= CUT.length + SHOWN_BEFORE + SHOWN_AFTER + CUT.length;
  const isStartCut = text.startsWith(CUT) && mayBeLine && length > SHOWN_BEFORE;
  const isEndCut =
    text.endsWith(CUT) && (CUT_LENGTHS.has(length) || (mayBeLine && length > SHOWN_AFTER));
  let start = 0;
  if (isStartCut) {
    start = CUT.length;
    while (KEY_CHARACTER.test(text.charAt(start))) start += 1;
  }
  if (start === length || !isEndCut) return start === 0 ? text : CUT + text.slice(start);
  let end = length - CUT.length;
  while (end > start && KEY_CHARACTER.test(text.charAt(end - 1))) end -= 1;
  return `${start === 0 ? '' : CUT}${text.slice(start, end)}${CUT}`;
}

/** Returns a JSON value with each of its texts changed. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one: unknown) => mapTexts(one, change));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, one]) => [name, mapTexts(one, change)]);
  return Object.fromEntries(fields);
}
