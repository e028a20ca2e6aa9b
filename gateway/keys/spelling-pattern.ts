/** A percent sign, possibly percent-encoded again up to three times (RFC 3986 section 2.4). */
const PERCENT = '%(?:25){0,3}';
const BACKSLASH = String.raw`(?:\\|${PERCENT}5[cC])`;
/**
 * Backslashes before an escaped character, several for JSON inside a JSON string. More do not count as an escape, so that time
 * and stack are bounded.
 */
const ESCAPES = `${BACKSLASH}{1,64}`;
/**
 * Backslashes at the start of a match: all of them or the last one, so that a run of backslashes is not tried again from each
 * of them.
 */
const FIRST_ESCAPES = `(?:(?<!${BACKSLASH})${ESCAPES}|${BACKSLASH})`;
/** One or more literal backslashes, or a single other character. */
const UNIT = /\\+|[^\\]/g;

/**
 * Creates a pattern that also finds a text where characters are escaped for JSON (`\u0073`, `\/`; RFC 8259 section 7) or
 * percent-encoded, with digits in either case and in any mix. `text`: visible ASCII, as service keys are. The time is linear
 * in the length of the searched text, for any content.
 */
export function createSpellingPattern(text: string): RegExp {
  const units = text.match(UNIT) ?? [];
  const spelled = units.map((unit, index) =>
    formatUnitPattern(unit, index === 0 ? FIRST_ESCAPES : ESCAPES),
  );
  return new RegExp(spelled.join(''), 'g');
}

function formatUnitPattern(unit: string, escapes: string): string {
  if (unit.startsWith('\\')) {
    return `(?:${BACKSLASH}|u005[cC]){${unit.length},${unit.length * 8}}`;
  }
  const code = unit.charCodeAt(0).toString(16).padStart(4, '0');
  const octets = Buffer.from(unit).toString('hex').match(/../g) ?? [];
  const percent = octets.map((octet) => PERCENT + matchEitherCase(octet)).join('');
  // JSON may escape a sign with a backslash; before a letter or a digit the backslash would form another character.
  const plain = /[a-z\d]/i.test(unit) ? unit : `(?:${escapes})?\\u${code}`;
  return `(?:${percent}|${escapes}u${matchEitherCase(code)}|${plain})`;
}

function matchEitherCase(hex: string): string {
  return hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
