/** The most characters of a number that is read. */
const MAX_LENGTH = 60;
const NUMBER = /^\+?(\d+(?:\.\d*)?|\.\d+)(?:e([+-]?\d{1,3}))?$/iu;

/**
 * Reads a decimal number without an error of floating point, as an integer of units of 10^-`digits`; what is smaller is rounded half
 * up. `null` when it is negative, no number, or too large to be exact.
 */
export function parseDecimal(text: string, digits: number): number | null {
  const trimmed = text.trim();
  const [, number, exponent = '0'] =
    (trimmed.length <= MAX_LENGTH ? NUMBER.exec(trimmed) : null) ?? [];
  if (number === undefined) return null;
  const [whole = '', fraction = ''] = number.split('.');
  const significant = BigInt(`${whole}${fraction}`);
  const shift = Number(exponent) - fraction.length + digits;
  const units =
    shift >= 0
      ? significant * 10n ** BigInt(shift)
      : (significant * 2n + 10n ** BigInt(-shift)) / (2n * 10n ** BigInt(-shift));
  return units <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(units) : null;
}

/** Formats millionths as a decimal number without needless zeros, which {@link parseDecimal} reads as the same. */
export function formatDecimal(micros: number): string {
  const digits = String(micros).padStart(7, '0');
  const fraction = digits.slice(-6).replace(/0+$/u, '');
  return fraction === '' ? digits.slice(0, -6) : `${digits.slice(0, -6)}.${fraction}`;
}

/** Reads an amount of the currency in millionths, as a person types it; `null` when it is none. */
export function parseAmount(text: string): number | null {
  return parseDecimal(text, 6);
}
