import { z } from 'zod';
import { ExchangeBodies } from '../../../../shared/exchange/body.ts';
import type { ExchangeRecord } from '../../../../shared/exchange/exchange.ts';
import { isObject, tryParse } from '../../../../shared/parse-bodies/json.ts';
import type { AgentBed } from '../agent-bed.ts';

const Shown = z.object({ bodies: ExchangeBodies });

/** Whether a request belongs to the main conversation: it offers tools, as those beside it do not. */
async function isMain({ machine }: AgentBed, { id }: ExchangeRecord): Promise<boolean> {
  const { bodies } = Shown.parse(await machine.json(['show', id]));
  const request = tryParse((bodies.received ?? bodies.sent)?.text ?? '');
  return isObject(request) && Array.isArray(request['tools']) && request['tools'].length > 0;
}

/** The exchanges that a limit refused, by their place: in the main conversation or beside it. */
export async function findRefused(bed: AgentBed, exchanges: readonly ExchangeRecord[]) {
  const refused = exchanges.filter(({ errorCode }) => errorCode?.startsWith('local_') === true);
  const main: ExchangeRecord[] = [];
  for (const exchange of refused) if (await isMain(bed, exchange)) main.push(exchange);
  return { main, beside: refused.length - main.length };
}

const MAX_SHOWN = 400;

/** Returns the lines with this text, usually that of a limit, that a program showed, each once; `null` for none. */
export function findShown(shown: string, text = 'The limit of'): string | null {
  const lines = shown
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.toLowerCase().includes(text.toLowerCase()));
  return lines.length === 0 ? null : [...new Set(lines)].join('\n').slice(0, MAX_SHOWN);
}
