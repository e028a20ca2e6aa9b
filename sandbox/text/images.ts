import { invalid } from '../http/errors.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { ServedModel } from '../models.ts';

/** An image in the prompt. */
export interface PromptImage {
  readonly type: string;
  readonly bytes: number;
}

/** The type of message part that holds an image, for each protocol. */
export type ImagePart = 'image_url' | 'input_image' | 'image';

const MAX_BYTES = 20 * 2 ** 20;

const SIGNATURES: Readonly<Record<string, RegExp>> = {
  'image/png': /^\x89PNG\r\n/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/gif': /^GIF8[79]a/,
  'image/webp': /^RIFF[^]{4}WEBP/,
};

/**
 * Lists the images of all turns.
 * @throws RefusalError 400 for an image for a model without vision, of another role than the user, in the form of another
 * protocol, with a remote URL, that is too large, or whose content does not match its type.
 */
export function readImages(
  turns: readonly JsonObject[],
  { model, part }: { readonly model: ServedModel; readonly part: ImagePart },
): readonly PromptImage[] {
  const found = turns.flatMap((turn) => imageParts(turn['content'], turn['role']));
  if (found.length > 0 && !model.tags.includes('vision')) {
    throw invalid(`The model "${model.id}" takes no images.`);
  }
  return found.map(({ value, role }) => {
    if (role !== 'user') throw invalid('Only the user may send images.');
    if (value['type'] !== part) {
      throw invalid(`An image is a part of type "${part}" here, not "${String(value['type'])}".`);
    }
    return readImage(readSource(value, part));
  });
}

interface Part {
  readonly value: JsonObject;
  readonly role: unknown;
}

const PARTS: readonly unknown[] = ['image_url', 'input_image', 'image'] satisfies ImagePart[];

function imageParts(content: unknown, role: unknown): readonly Part[] {
  if (Array.isArray(content)) return content.flatMap((inner) => imageParts(inner, role));
  if (!isObject(content)) return [];
  return PARTS.includes(content['type'])
    ? [{ value: content, role }]
    : imageParts(content['content'], role);
}

interface Source {
  readonly type: string;
  readonly base64: string;
}

function readSource(value: JsonObject, part: ImagePart): Source {
  if (part === 'image') return readSourceObject(value['source']);
  const { image_url: inner } = value;
  return readDataUrl(part === 'image_url' && isObject(inner) ? inner['url'] : inner, part, inner);
}

function readSourceObject(source: unknown): Source {
  if (!isObject(source) || source['type'] !== 'base64') {
    throw invalid('"source" must be an object of type "base64".');
  }
  const { media_type: type, data } = source;
  if (typeof type !== 'string' || typeof data !== 'string') {
    throw invalid('"source" needs "media_type" and "data".');
  }
  return { type, base64: data };
}

function readDataUrl(address: unknown, part: ImagePart, inner: unknown): Source {
  if (part === 'image_url' && !isObject(inner)) {
    throw invalid('"image_url" must be an object with a "url".');
  }
  const [, type, base64] =
    typeof address === 'string' ? (/^data:([^;,]*);base64,([^]*)$/.exec(address) ?? []) : [];
  if (type === undefined || base64 === undefined) {
    throw invalid('The image must be a data: address in base64.');
  }
  return { type, base64 };
}

function readImage({ type, base64 }: Source): PromptImage {
  const beginning = SIGNATURES[type];
  if (!beginning) {
    throw invalid(`An image must be one of ${Object.keys(SIGNATURES).join(', ')}.`);
  }
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) {
    throw invalid('The image is not valid base64.');
  }
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > MAX_BYTES) throw invalid('The image is larger than 20 MiB.');
  if (!beginning.test(bytes.subarray(0, 16).toString('latin1'))) {
    throw invalid(`The image is not ${type}.`);
  }
  return { type, bytes: bytes.length };
}
