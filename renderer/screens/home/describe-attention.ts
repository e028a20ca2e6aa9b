import type { Attention } from '../../../shared/history/history.ts';
import { describeLimitStep } from '../../../shared/money/describe-limit.ts';
import { describeRunaway } from '../../../shared/run/describe-runaway.ts';
import { pluralize, formatCount } from '../../../shared/format.ts';
import { programName } from '../../format/program.ts';
import { repairTitle } from '../../../shared/exchange/repair-title.ts';

/** The title says what happened; the text says what it means and what to do. */
export interface AttentionText {
  readonly title: string;
  readonly text: string;
}

/** Describes an attention item. */
export function describeAttention(attention: Attention): AttentionText {
  switch (attention.kind) {
    case 'key':
      return {
        title: attention.at === null ? 'No service key can be used' : 'The service key is refused',
        text: attention.sentence,
      };
    case 'unreachable':
      return {
        title: `${attention.serviceName} cannot be reached`,
        text: describeUnreachable(attention),
      };
    case 'repair':
      return {
        title: `${attention.clientName}: ${repairTitle(attention.code)}`,
        text: `Gatehouse corrected this ${pluralize(attention.times, 'time')}, so the requests reach the service.`,
      };
    case 'client':
      return describeClient(attention);
    case 'unknown':
      return describeUnknown(attention);
    case 'limit':
      return describeLimitStep(attention, { currency: attention.currency, now: Date.now() });
    case 'unpriced':
      return describeUnpriced(attention);
    case 'runaway':
      return describeRunawayAgent(attention);
    case 'dropped':
      return {
        title: `${pluralize(attention.exchanges, 'request')} missing in the history`,
        text: 'They were forwarded, but could not be recorded. Check that the disk of the data folder has free space.',
      };
  }
}

type Of<Kind> = Extract<Attention, { kind: Kind }>;

function describeUnpriced({ passes }: Of<'unpriced'>): AttentionText {
  const models = [...new Set(passes.map(({ model }) => model))];
  const clients = [...new Set(passes.map(({ clientName }) => clientName))];
  const requests = passes.reduce((sum, pass) => sum + pass.requests, 0);
  return {
    title: `A limit of money does not count ${listNames(models)}`,
    text: `${pluralize(requests, 'request')} of ${listNames(clients)} passed uncounted: there is no price, or a video has no length. Set a price, 0 for what is free. Settings can refuse such requests.`,
  };
}

function describeRunawayAgent({ clientName, cause, stopped }: Of<'runaway'>): AttentionText {
  const what = cause === null ? 'A person stopped it.' : `It ${describeRunaway(cause)}.`;
  return stopped
    ? {
        title: `“${clientName}” was stopped`,
        text: `${what} Gatehouse refuses its requests until you let it go on.`,
      }
    : {
        title: `The agent of “${clientName}” may be running away`,
        text: `${what} Its requests are still sent.`,
      };
}

function describeClient(attention: Of<'client'>): AttentionText {
  const { clientName, others, userAgent, errorCode, shared } = attention;
  const program = programName(userAgent);
  const by = program === null ? '' : ` (${program})`;
  if (errorCode === 'invalid_local_key') {
    return {
      title: `The key of ${quote(clientName)} was revoked or replaced`,
      text: `Gatehouse refuses its requests${by}. ${describeShare(attention)}. Add the client again in Clients if it was revoked, and enter its new key in the program.`,
    };
  }
  const last = describeLast(attention);
  if (shared) {
    return {
      title: `Requests of ${listNames([clientName, ...others])} keep failing`,
      text: `${describeShare(attention)}${last}. The cause is not the program, but the service or the way to it.`,
    };
  }
  return {
    title: `Requests of ${quote(clientName)} keep failing`,
    text: `${describeShare(attention)}${last}${by}. Each of them shows what to change.`,
  };
}

/** `3 of its latest 10 requests failed`, and how many were not counted. */
function describeShare({ failures, of, uncounted, others }: Of<'client'>): string {
  const requests = `${others.length > 0 ? 'their' : 'its'} latest ${pluralize(of, 'request')}`;
  const share = failures === of ? `All of ${requests}` : `${formatCount(failures)} of ${requests}`;
  const rest =
    uncounted === 0
      ? ''
      : `, not counting ${formatCount(uncounted)} that a limit or a pause refused`;
  return `${share} failed${rest}`;
}

function quote(name: string): string {
  return `“${name}”`;
}

/** Lists at most three names: `“A”`, `“A” and “B”`, `“A”, “B” and 2 more`. */
function listNames(names: readonly string[]): string {
  const quoted = names.map(quote);
  const shown = names.length <= 3 ? quoted : [...quoted.slice(0, 2), `${names.length - 2} more`];
  return [shown.slice(0, -1).join(', '), shown.at(-1)].filter((part) => part !== '').join(' and ');
}

const REFUSALS: Readonly<Record<string, readonly [cause: string, remedy: string]>> = {
  missing_local_key: ['without a key', 'Give it a local key of its own in Clients.'],
  malformed_local_key: [
    'with a key that cannot be read',
    'Enter its local key where it asks for an API key.',
  ],
  invalid_local_key: ['with a wrong key', 'Give it a new local key in Clients.'],
  https_not_supported: ['with https://', ''],
};

function describeUnknown(attention: Of<'unknown'>): AttentionText {
  const { userAgent, requests, errorCode, errorMessage } = attention;
  const program = programName(userAgent) ?? 'An unnamed program';
  const count = pluralize(requests, 'request');
  const known = errorCode === null ? undefined : REFUSALS[errorCode];
  if (known === undefined) {
    const text = `They have no valid local key${describeLast(attention)}.${errorMessage === null ? '' : ` ${errorMessage}`}`;
    return { title: `${program} has sent ${count} that were refused`, text };
  }
  const [cause, remedy] = known;
  const text = remedy === '' ? (errorMessage ?? '') : `Gatehouse refused them. ${remedy}`;
  return { title: `${program} has sent ${count} ${cause}`, text };
}

function describeUnreachable({ sentence, failures, refused }: Of<'unreachable'>): string {
  const count = pluralize(failures, 'request');
  const last =
    failures === 1 ? 'The last request got no reply.' : `The last ${count} got no reply.`;
  return [
    sentence ?? '',
    failures === 0 ? '' : last,
    refused === 0 ? '' : `Gatehouse refused ${pluralize(refused, 'request')} without sending.`,
    'Clients will see errors until it is back.',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function describeLast({ status, reason }: Of<'client' | 'unknown'>): string {
  const what = [status, reason].filter((part) => part !== null).join(' ');
  return what === '' ? '' : `, the last with ${what}`;
}
