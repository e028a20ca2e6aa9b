/** An amount in millionths that is shown to people: two digits after the point, or as many as its first two that are not zero. */
export function formatMoney(micros: number, currency: string): string {
  return findFormatter(currency, countDigits(micros)).format(micros / 1e6);
}

/** The least amount that lists show, in millionths: smaller ones would need more room. */
const LEAST = 100;

/** Formats an amount for a narrow column: as {@link formatMoney} does, but `<$0.0001` where it is less than that. */
export function formatListedMoney(micros: number, currency: string): string {
  const isTiny = micros > 0 && micros < LEAST;
  return isTiny
    ? `<${findFormatter(currency, 4).format(LEAST / 1e6)}`
    : formatMoney(micros, currency);
}

/** Rounds an amount in millionths up to one that {@link formatMoney} shows whole. */
export function roundMoneyUp(micros: number): number {
  const unit = 10 ** (6 - countDigits(micros));
  return Math.ceil(micros / unit) * unit;
}

/** Returns how many digits after the point are shown. */
function countDigits(micros: number): number {
  const value = micros / 1e6;
  if (micros === 0 || value >= 0.995) return 2;
  const digits = Math.min(6, 1 - Math.floor(Math.log10(value)));
  // An amount that is rounded up to the next power of ten has one digit less to show.
  const isRoundedUp = Number(value.toFixed(digits)) >= 10 ** (2 - digits);
  return Math.max(2, isRoundedUp ? digits - 1 : digits);
}

/** Formatters by currency and digits: one takes longer to create than a row of a list to draw. */
const formatters = new Map<string, Intl.NumberFormat>();

function findFormatter(currency: string, digits: number): Intl.NumberFormat {
  const key = `${currency} ${digits}`;
  let formatter = formatters.get(key);
  if (formatter === undefined) {
    formatter = new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    formatters.set(key, formatter);
  }
  return formatter;
}
