/** Windows keeps at most 2,560 bytes of UTF-16 per credential. */
const MAX_LENGTH = 1280;
const MIN_LENGTH = 4;
const LOCAL_KEY = /^gh-[\w-]{43}$/u;
const PASTE_EDGES = /^[\s"'`\u200b\ufeff]+|[\s"'`\u200b\ufeff]+$/gu;

/** A text cannot be a service key. `message` tells the person why and never contains the text. */
export class InvalidKeyError extends Error {
  override readonly name = 'InvalidKeyError';
}

/**
 * Parses a service key as people paste it: drops white space and quotes around it and a leading "Bearer". The result is one
 * line of visible ASCII, 4 to 1,280 characters.
 * @throws InvalidKeyError
 */
export function parseServiceKey(text: string): string {
  const key = text
    .replace(PASTE_EDGES, '')
    .replace(/^(?:authorization\s*:\s*|x-api-key\s*:\s*)/iu, '')
    .replace(/^(?:bearer\s+)+/iu, '')
    .replace(PASTE_EDGES, '');
  if (key === '' || /^bearer$/iu.test(key)) {
    throw new InvalidKeyError('No key was given.');
  }
  if (/[\r\n]/u.test(key)) {
    throw new InvalidKeyError('A service key is one line, but several lines were given.');
  }
  if (!/^[\x21-\x7e]+$/u.test(key)) {
    throw new InvalidKeyError(
      'A service key has only visible ASCII characters and no spaces. Copy it again from the web console of the service.',
    );
  }
  if (LOCAL_KEY.test(key)) {
    throw new InvalidKeyError(
      'This is a local key of Gatehouse, for your clients. The service key comes from the web console of the service.',
    );
  }
  if (key.length < MIN_LENGTH) {
    throw new InvalidKeyError(
      `This is too short for a service key: it has fewer than ${MIN_LENGTH} characters.`,
    );
  }
  if (key.length > MAX_LENGTH) {
    throw new InvalidKeyError(
      `This is too long for a service key: at most ${MAX_LENGTH.toLocaleString('en')} characters fit into every system's keychain.`,
    );
  }
  return key;
}
