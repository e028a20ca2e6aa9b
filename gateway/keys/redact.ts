/** Below this length an encoded form is too short to be told from ordinary text. */
const SHORTEST_ENCODED = 8;

/**
 * Makes a function that replaces every secret in a text by `mask`: as it is, escaped for JSON once or twice, percent-encoded,
 * in hexadecimal, and in base64 (any alignment, both alphabets). `secrets` is asked at each call, so a key that changes is covered at once.
 * A text without a secret is returned as it is.
 */
export function redactor(
  secrets: () => readonly string[],
  mask = '<service key>',
): (text: string) => string {
  let known: readonly string[] = [];
  let forms: readonly string[] = [];
  return (text) => {
    const now = secrets();
    if (now.length !== known.length || now.some((secret, index) => secret !== known[index])) {
      known = [...now];
      forms = known.flatMap(formsOf).toSorted((a, b) => b.length - a.length);
    }
    let clean = text;
    for (const form of forms) {
      if (clean.includes(form)) {
        clean = clean.replaceAll(form, () => mask);
      }
    }
    return clean;
  };
}

function formsOf(secret: string): string[] {
  if (secret === '') {
    return [];
  }
  const plain = [secret, ...jsonForms(secret), ...percentForms(secret)];
  const encoded =
    secret.length < SHORTEST_ENCODED ? [] : [...base64Forms(secret), ...hexForms(secret)];
  return [...new Set([...plain, ...encoded])];
}

/** Some writers escape the slash, too, or what could be taken for HTML; JSON may stand as a text in JSON. */
function jsonForms(secret: string): string[] {
  const json = inJson(secret);
  const forHtml = json.replace(
    /[<>&']/gu,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const slashed = json.replaceAll('/', String.raw`\/`);
  return [json, forHtml, slashed].flatMap((form) => [form, inJson(form)]);
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function hexForms(secret: string): string[] {
  const hex = Buffer.from(secret).toString('hex');
  return [hex, hex.toUpperCase()];
}

function percentForms(secret: string): string[] {
  const upper = encodeURIComponent(secret);
  const lower = upper.replace(/%[0-9A-F]{2}/gu, (octet) => octet.toLowerCase());
  const every = [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`);
  return [upper, lower, every.join(''), every.join('').toUpperCase()];
}

/** The secret may stand behind other bytes (`user:secret`), so each of the three alignments has its own core. */
function base64Forms(secret: string): string[] {
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
