import { createSpellingPattern } from './spelling-pattern.ts';

/** Stands in for a key that is recognised by its form. */
export const KNOWN_KEY = '<key>';

/** Below this length an encoded form cannot be distinguished from ordinary text. */
const MIN_ENCODED_LENGTH = 8;

/**
 * Only a text with one of these can contain an escaped character of a secret without quotes. Line ends, tabs and quotes, the usual
 * escapes of JSON, do not count.
 */
const ESCAPE = /%[\da-f]|\\[^bfnrt"]/iu;
/** The same for a secret with a quote. */
const ESCAPE_OR_QUOTE = /%[\da-f]|\\[^bfnrt]/iu;

export interface RedactorOptions {
  /** Replaces the secrets. */
  readonly mask?: string;
  /** Length of the shortest secret that is replaced. */
  readonly minLength?: number;
}

/** One form of a secret, with the pattern that finds it where characters are escaped. */
interface SecretForm {
  readonly plain: string;
  readonly pattern: RegExp;
}

/**
 * Creates a function that replaces every secret in a text with `mask`: as it is, in hexadecimal, and in base64 (any alignment,
 * both alphabets), each also where characters are escaped for JSON or percent-encoded. `secrets` is called each time, so a
 * changed key is covered at once. Returns a text without a secret unchanged.
 */
export function createRedactor(
  secrets: () => readonly string[],
  { mask = '<service key>', minLength = 1 }: RedactorOptions = {},
): (text: string) => string {
  let known: readonly string[] = [];
  let forms: readonly SecretForm[] = [];
  let escape = ESCAPE;
  return (text) => {
    const now = secrets();
    if (!isSame(now, known)) {
      const current = [...now];
      const plain = current
        .filter(({ length }) => length >= minLength)
        .flatMap(listForms)
        .toSorted((a, b) => b.length - a.length);
      forms = plain.map((form) => ({ plain: form, pattern: createSpellingPattern(form) }));
      escape = plain.some((form) => form.includes('"')) ? ESCAPE_OR_QUOTE : ESCAPE;
      // Only now: after an error the next text must not count as searched for these.
      known = current;
    }
    if (forms.length === 0) return text;
    const escaped = escape.test(text);
    let redacted = text;
    for (const form of forms) {
      if (escaped) redacted = redacted.replace(form.pattern, () => mask);
      else if (redacted.includes(form.plain))
        redacted = redacted.replaceAll(form.plain, () => mask);
    }
    return redacted;
  };
}

/** Compares without creating anything, because this runs for every stored text. */
function isSame(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) {
    if (one[index] !== other[index]) return false;
  }
  return true;
}

function listForms(secret: string): string[] {
  if (secret === '') {
    return [];
  }
  const encoded =
    secret.length < MIN_ENCODED_LENGTH ? [] : [...listBase64Forms(secret), ...listHexForms(secret)];
  return [...new Set([secret, ...encoded])];
}

function listHexForms(secret: string): string[] {
  const hex = Buffer.from(secret).toString('hex');
  return [hex, hex.toUpperCase()];
}

/** The secret may follow other bytes (`user:secret`), so each of the three alignments has its own core. */
function listBase64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const core = encoded.slice(
      Math.ceil((offset * 8) / 6),
      Math.floor(((offset + bytes.length) * 8) / 6),
    );
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
