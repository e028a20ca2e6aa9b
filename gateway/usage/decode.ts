import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';

const MAX_BYTES = 32 * 1024 * 1024;

type Decoder = (body: Uint8Array) => Promise<Buffer>;

/** Bounded, because a small body can become an immense one. */
const BOUND = { maxOutputLength: MAX_BYTES };

const gunzipped: Decoder = (body) => promisify(gunzip)(body, BOUND);
const brotli: Decoder = (body) => promisify(brotliDecompress)(body, BOUND);
const zstd: Decoder = (body) => promisify(zstdDecompress)(body, BOUND);

/** `deflate` means the zlib format (RFC 9110, 8.4.1.2); some servers send the raw one. */
const inflated: Decoder = async (body) => {
  try {
    return await promisify(inflate)(body, BOUND);
  } catch {
    return promisify(inflateRaw)(body, BOUND);
  }
};

const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', gunzipped],
  ['x-gzip', gunzipped],
  ['deflate', inflated],
  ['br', brotli],
  ['zstd', zstd],
  ['identity', async (body) => Buffer.from(body)],
]);

/**
 * Undoes a `content-encoding`, a list of codings included (RFC 9110, 8.4). `null` for a coding that is not known, a body
 * that is damaged, and one that would be larger than 32 MiB.
 */
export async function decode(
  body: Uint8Array,
  encoding: string | null,
): Promise<Uint8Array | null> {
  const codings = encoding === null ? [] : encoding.toLowerCase().split(',');
  try {
    let plain = body;
    for (const coding of codings.toReversed()) {
      const decoder = DECODERS.get(coding.trim());
      if (decoder === undefined) return null;
      plain = await decoder(plain);
    }
    return plain;
  } catch {
    // Damaged or too large: nothing can be read from it, which is what `null` says.
    return null;
  }
}
