import type { ExchangeMark } from '../../shared/exchange/exchange-mark.ts';
import type { DetailRow } from './format-exchange.ts';

/** Formats the pin, the tags and the note of an exchange, as far as it has them. */
export function describeMark(mark: ExchangeMark | null): readonly DetailRow[] {
  if (mark === null) return [];
  const { pinned, tags, note } = mark;
  return [
    { name: 'Pinned', text: pinned ? 'yes' : '' },
    { name: 'Tags', text: tags.join(', ') },
    { name: 'Note', text: note },
  ].filter(({ text }) => text !== '');
}
