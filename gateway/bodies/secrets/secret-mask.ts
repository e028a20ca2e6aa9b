import { maskLocalKeys } from '../../clients/local-key.ts';
import { createRedactor, KNOWN_KEY } from '../../keys/redact.ts';
import type { CleanBody } from '../clean-body.ts';
import { findKnownKeys, type Range } from './known-keys.ts';
import type { BodySide, Secrets } from '../protocol.ts';

/** The bodies of an exchange before their secrets are masked. */
export interface PlainExchange {
  readonly run: string;
  readonly bodies: readonly CleanBody[];
}

/** Shorter secrets, as local services have them, are words that occur in ordinary texts. */
const MIN_SECRET = 16;
const LOCAL_KEY = '<local key>';
const MASKS = /<service key>|<local key>/g;
const SEPARATOR = '\n\n';
/** A secret that begins in a part that is known to have none is not longer than this. */
const OVERLAP = 8 * 1024;
const BLOCK = 4 * 1024;
const MAX_TYPE_LENGTH = 200;
const MAX_CLEAN_BODIES = 64;
const MAX_CLEAN_BYTES = 16 * 2 ** 20;

/**
 * Masks secrets in bodies: those of Gatehouse, and texts that have the form of a key of a well-known service. The beginning that a
 * body shares with an earlier one of its run is not searched again when it had none.
 */
export class SecretMask {
  /** The latest body of each run and side in which no secret was found. */
  readonly #clean = new Map<string, Buffer>();
  #secrets: Secrets = { serviceKeys: [], localKeys: [] };
  #maskOwn = createOwnMask(this.#secrets);

  /** Masks the secrets of many exchanges at once, because a search has a fixed cost. */
  async maskAll(
    exchanges: readonly PlainExchange[],
    secrets: Secrets,
  ): Promise<readonly (readonly CleanBody[])[]> {
    this.use(secrets);
    if (!(await this.#mayHaveSecrets(exchanges))) {
      for (const { run, bodies } of exchanges) for (const body of bodies) this.#remember(run, body);
      return exchanges.map(({ bodies }) => bodies.map((body) => this.#withCleanType(body)));
    }
    const masked: CleanBody[][] = [];
    for (const { run, bodies } of exchanges) {
      const all: CleanBody[] = [];
      for (const body of bodies) all.push(this.#withCleanType(await this.#mask(run, body)));
      masked.push(all);
    }
    return masked;
  }

  /** Masks all secrets in a short text. */
  async cleanText(text: string): Promise<string> {
    const own = this.#maskOwn(text);
    return replaceRanges(own, await findKnownKeys(own));
  }

  /** Masks the secrets of Gatehouse in a text, those of the latest `use`. */
  maskText(text: string): string {
    return this.#maskOwn(text);
  }

  /** Whether a text has a secret, by those of the latest `use`. */
  async hasSecrets(text: string): Promise<boolean> {
    return this.#maskOwn(text) !== text || (await findKnownKeys(text)).length > 0;
  }

  /** Masks these secrets from now on. */
  use(secrets: Secrets): void {
    if (JSON.stringify(secrets) === JSON.stringify(this.#secrets)) return;
    this.#secrets = secrets;
    this.#maskOwn = createOwnMask(secrets);
    this.#clean.clear();
  }

  async #mayHaveSecrets(exchanges: readonly PlainExchange[]): Promise<boolean> {
    const unsearched = exchanges.flatMap(({ run, bodies }) =>
      bodies.map((body) => this.#listUnsearched(run, body)).filter((text) => text !== ''),
    );
    const text = unsearched.join(SEPARATOR);
    return await this.hasSecrets(text);
  }

  /** Returns the parts of a body that must be searched, one character for each byte. */
  #listUnsearched(run: string, { side, head, tail }: CleanBody): string {
    const earlier = this.#clean.get(toKey(run, side));
    const same = earlier === undefined ? 0 : countSameStart(earlier, head);
    const from = same === head.length ? same : Math.max(0, same - OVERLAP);
    const end = tail.length === 0 ? '' : SEPARATOR + tail.toString('latin1');
    return head.toString('latin1', from) + end;
  }

  /** A content type comes from outside like the body. */
  #withCleanType(body: CleanBody): CleanBody {
    const { contentType } = body;
    if (contentType === null) return body;
    const clean = this.#maskOwn(contentType).slice(0, MAX_TYPE_LENGTH);
    return clean === contentType ? body : { ...body, contentType: clean };
  }

  async #mask(run: string, body: CleanBody): Promise<CleanBody> {
    const head = await this.#maskPart(body.head);
    const tail = await this.#maskPart(body.tail);
    const masked = head.count + tail.count;
    if (masked === 0) this.#remember(run, body);
    return { ...body, head: head.bytes, tail: tail.bytes, masked: body.masked + masked };
  }

  async #maskPart(part: Buffer): Promise<{ readonly bytes: Buffer; readonly count: number }> {
    const text = part.toString('latin1');
    const own = this.#maskOwn(text);
    const ranges = await findKnownKeys(own);
    if (own === text && ranges.length === 0) return { bytes: part, count: 0 };
    const count = countMasks(own) - countMasks(text) + ranges.length;
    return { bytes: Buffer.from(replaceRanges(own, ranges), 'latin1'), count };
  }

  #remember(run: string, { side, head }: CleanBody): void {
    const key = toKey(run, side);
    const earlier = this.#clean.get(key);
    this.#clean.delete(key);
    // Copied, because it is a part of the bytes of a whole batch.
    this.#clean.set(key, earlier?.equals(head) === true ? earlier : Buffer.from(head));
    let bytes = 0;
    for (const { length } of this.#clean.values()) bytes += length;
    for (const [oldest, { length }] of this.#clean) {
      if (this.#clean.size <= MAX_CLEAN_BODIES && bytes <= MAX_CLEAN_BYTES) break;
      this.#clean.delete(oldest);
      bytes -= length;
    }
  }
}

function toKey(run: string, side: BodySide): string {
  return `${side}\n${run}`;
}

function createOwnMask({ serviceKeys, localKeys }: Secrets): (text: string) => string {
  const maskServiceKeys = createRedactor(() => serviceKeys, { minLength: MIN_SECRET });
  const maskFixedKeys = createRedactor(() => localKeys, { mask: LOCAL_KEY, minLength: MIN_SECRET });
  return (text) => maskLocalKeys(maskFixedKeys(maskServiceKeys(text)));
}

/** Counts the bytes at the start that two bodies have in common, in whole blocks unless they are equal. */
function countSameStart(one: Buffer, other: Buffer): number {
  if (one.equals(other)) return other.length;
  const length = Math.min(one.length, other.length);
  let same = 0;
  while (same + BLOCK <= length) {
    if (one.compare(other, same, same + BLOCK, same, same + BLOCK) !== 0) break;
    same += BLOCK;
  }
  return same;
}

function countMasks(text: string): number {
  return text.match(MASKS)?.length ?? 0;
}

function replaceRanges(text: string, ranges: readonly Range[]): string {
  let result = '';
  let from = 0;
  for (const { start, end } of ranges) {
    result += text.slice(from, start) + KNOWN_KEY;
    from = end;
  }
  return result + text.slice(from);
}
