import type { StepChange } from '../../../shared/run/run.ts';
import type { OutlineItem, RequestOutline } from './outline-request.ts';

/** Characters that are shown before and after the first one that differs. */
const SHOWN_BEFORE = 60;
const SHOWN_AFTER = 120;

/**
 * Finds the first difference of a request to the one before, in the order in which services cache: tools, system, messages. The
 * messages that only the request before had at its end (`isOwn`: from this place on) make no difference, because nothing that both
 * share comes after them. Returns `null` when the request only adds to the one before.
 */
export function findChange(
  before: RequestOutline,
  now: RequestOutline,
  isOwn: number,
): StepChange | null {
  return (
    compareLists('tools', before.tools, now.tools) ??
    compareLists('system', before.system, now.system) ??
    compareLists('message', before.messages.slice(0, isOwn), now.messages.slice(0, isOwn))
  );
}

function compareLists(
  part: StepChange['part'],
  before: readonly OutlineItem[],
  now: readonly OutlineItem[],
): StepChange | null {
  const length = Math.max(before.length, now.length);
  for (let place = 0; place < length; place += 1) {
    const one = before[place];
    const other = now[place];
    if (one?.digest === other?.digest) continue;
    const texts = showDifference(one?.json ?? '', other?.json ?? '');
    return { part, place, name: (other ?? one)?.name ?? null, ...texts };
  }
  return null;
}

/** Returns the texts around the first character in which two texts differ. */
function showDifference(before: string, now: string): { before: string; now: string } {
  const length = Math.min(before.length, now.length);
  let at = 0;
  while (at < length && before[at] === now[at]) at += 1;
  const from = Math.max(0, at - SHOWN_BEFORE);
  const show = (text: string) => {
    const shown = text.slice(from, at + SHOWN_AFTER);
    const start = from > 0 && shown !== '' ? '…' : '';
    return `${start}${shown}${text.length > at + SHOWN_AFTER ? '…' : ''}`;
  };
  return { before: show(before), now: show(now) };
}
