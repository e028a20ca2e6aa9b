import { UsageError } from '../errors.ts';

/** Finds the port for this run: the flag, then GATEHOUSE_PORT; `null` for that of the settings. 0 means any free one. @throws UsageError */
export function parsePort(flag: string | undefined, setting: string | undefined): number | null {
  const text = flag ?? setting;
  return text === undefined
    ? null
    : parseInteger(text, {
        name: flag === undefined ? 'GATEHOUSE_PORT' : '--port',
        from: 0,
        to: 65_535,
      });
}

/** Parses an integer within bounds, both inclusive. @throws UsageError that names the option. */
export function parseInteger(
  text: string,
  { name, from, to }: { readonly name: string; readonly from: number; readonly to: number },
): number {
  const value = Number(text);
  if (!/^\d{1,9}$/u.test(text) || value < from || value > to) {
    throw new UsageError(`${name} takes a whole number from ${from} to ${to}.`);
  }
  return value;
}
