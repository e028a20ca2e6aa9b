import { parseInteger } from './parse-numbers.ts';

const DEFAULT_PORT = 6418;

/** The port of the window; 0 for any free one. `isExplicit`: a person named it, so no other port is used. */
export interface WindowPort {
  readonly port: number;
  readonly isExplicit: boolean;
}

/** Finds the port of the window: the flag, then GATEHOUSE_UI_PORT, then 6418. @throws UsageError */
export function parseWindowPort(flag: string | undefined, setting: string | undefined): WindowPort {
  const text = flag ?? setting;
  if (text === undefined) return { port: DEFAULT_PORT, isExplicit: false };
  const name = flag === undefined ? 'GATEHOUSE_UI_PORT' : '--ui-port';
  return { port: parseInteger(text, { name, from: 0, to: 65_535 }), isExplicit: true };
}
