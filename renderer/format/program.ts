const MAX_LENGTH = 60;

/** Names a program by the first product of its user agent: `curl/8.5.0`. `null` when it gave none. */
export function programName(userAgent: string | null): string | null {
  const [product = ''] = userAgent?.trim().split(/\s/u) ?? [];
  if (product === '') return null;
  return product.length > MAX_LENGTH ? `${product.slice(0, MAX_LENGTH)}…` : product;
}
