import type { Attention } from '../../../shared/history.ts';
import { pluralize, formatCount } from '../../../shared/format.ts';
import { repairTitle } from '../../format/repair.ts';

/** The title says what happened; the text says what it means and what to do. */
export interface AttentionText {
  readonly title: string;
  readonly text: string;
}

/** Describes an attention item. `upstream` is the name of the service in use. */
export function describeAttention(attention: Attention, upstream: string): AttentionText {
  switch (attention.kind) {
    case 'key':
      return { title: 'The service key does not work', text: attention.sentence };
    case 'unreachable':
      return {
        title: `${upstream} cannot be reached`,
        text: `${describeFailures(attention.failures)} Clients will see errors until it is back. Check your network, then the address in Settings.`,
      };
    case 'repair':
      return {
        title: `${attention.clientName}: ${repairTitle(attention.code)}`,
        text: `Gatehouse corrected this ${pluralize(attention.times, 'time')}, so the requests still work.`,
      };
    case 'client':
      return {
        title: `${attention.clientName} keeps failing`,
        text: `${formatCount(attention.failures)} of its latest ${pluralize(attention.of, 'request')} failed${describeLast(attention.status, attention.errorCode)}. Open them to see the cause and fix.`,
      };
    case 'unknown':
      return {
        title: 'Requests without a valid local key were refused',
        text: `${formatCount(attention.requests)} recently${describeLast(attention.status, attention.errorCode)}. Open them to see the program and fix.`,
      };
    case 'dropped':
      return {
        title: `${pluralize(attention.exchanges, 'request')} missing in the history`,
        text: 'They were forwarded, but could not be recorded. Check that the disk of the data folder has free space.',
      };
  }
}

function describeFailures(failures: number): string {
  return failures === 1
    ? 'The last request got no reply.'
    : `The last ${pluralize(failures, 'request')} got no reply.`;
}

function describeLast(status: number | null, code: string | null): string {
  const what = [status, code?.replaceAll('_', ' ')].filter((part) => part != null).join(', ');
  return what === '' ? '' : `, the last with ${what}`;
}
