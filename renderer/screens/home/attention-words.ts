import type { Attention } from '../../../shared/history.ts';
import { counted, countText } from '../../parts/figures.ts';
import { repairTitle } from '../../parts/repair-words.ts';

/** What happened as a title, and what it means and what to do as text. */
export interface AttentionWords {
  readonly title: string;
  readonly text: string;
}

/** Puts into words what needs attention. `upstream` is the name of the service in use. */
export function attentionWords(attention: Attention, upstream: string): AttentionWords {
  switch (attention.kind) {
    case 'key':
      return { title: 'The service key does not work', text: attention.sentence };
    case 'unreachable':
      return {
        title: `${upstream} cannot be reached`,
        text: `${failed(attention.failures)} Clients get an error for as long as that lasts. Check your network, then the address in Settings.`,
      };
    case 'repair':
      return {
        title: `${attention.clientName}: ${repairTitle(attention.code)}`,
        text: `Gatehouse corrected this ${counted(attention.times, 'time')}, so it works all the same.`,
      };
    case 'client':
      return {
        title: `${attention.clientName} fails again and again`,
        text: `${countText(attention.failures)} of its latest ${counted(attention.of, 'request')} failed${lastly(attention.status, attention.errorCode)}. The history says what went wrong and what to do.`,
      };
    case 'unknown':
      return {
        title: 'Requests without a valid local key were refused',
        text: `${countText(attention.requests)} of late${lastly(attention.status, attention.errorCode)}. The history says which program asked, and what to do.`,
      };
    case 'dropped':
      return {
        title: `${counted(attention.exchanges, 'request')} missing in the history`,
        text: 'They passed through, but could not be written down. Check that the disk has room for the data folder.',
      };
  }
}

function failed(failures: number): string {
  return failures === 1
    ? 'The latest request got no answer from it.'
    : `The latest ${counted(failures, 'request')} got no answer from it.`;
}

function lastly(status: number | null, code: string | null): string {
  const what = [status, code?.replaceAll('_', ' ')].filter((part) => part != null).join(', ');
  return what === '' ? '' : `, the last with ${what}`;
}
