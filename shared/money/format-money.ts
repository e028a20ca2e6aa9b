/** An amount in millionths that is shown to people: two digits after the point, or as many as its first two that are not zero. */
export function formatMoney(micros: number, currency: string): string {
  const value = micros / 1e6;
  const digits =
    micros === 0 || value >= 0.995 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(value)));
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: Math.max(2, digits),
    maximumFractionDigits: Math.max(2, digits),
  }).format(value);
}
