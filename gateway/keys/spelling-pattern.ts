/** A percent sign, which may have been percent-encoded again, three times at most (RFC 3986 section 2.4). */
const PERCENT = '%(?:25){0,3}';
const BACKSLASH = String.raw`(?:\\|${PERCENT}5[cC])`;
/** Backslashes before an escaped character, several where JSON stands as a text in JSON. More are taken for no escape, so that time and stack are bounded. */
const ESCAPES = `${BACKSLASH}{1,64}`;
/** The same at the beginning of a find: all of them or the last one, so that a run of backslashes is not tried anew from each of them. */
const FIRST_ESCAPES = `(?:(?<!${BACKSLASH})${ESCAPES}|${BACKSLASH})`;
/** One or more backslashes of the text itself, or a single other character. */
const UNIT = /\\+|[^\\]/g;

/**
 * Makes an expression that finds a text also where any of its characters is escaped for JSON (`\u0073`, `\/`; RFC 8259 section 7) or
 * percent-encoded, with digits in either case and in any mix. `text`: visible ASCII, as service keys are. The time grows with the
 * length of what is searched and no faster, whatever stands in it.
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
  // JSON writes some signs behind a backslash; before a letter or a digit it would make another character of it.
  const plain = /[a-z\d]/i.test(unit) ? unit : `(?:${escapes})?\\u${code}`;
  return `(?:${percent}|${escapes}u${matchEitherCase(code)}|${plain})`;
}

function matchEitherCase(hex: string): string {
  return hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
