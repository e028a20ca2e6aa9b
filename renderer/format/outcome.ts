import type { ExchangeSummary, RunningExchange } from '../../shared/history.ts';

/** Tone of an outcome: `good`, `bad`, `warn` for a mistake of the client, `none` for a neutral end. */
export type Tone = 'good' | 'warn' | 'bad' | 'none';

/** Describes how an exchange ended. `status` is the text of a column, `words` its meaning. */
export interface OutcomeLabel {
  readonly tone: Tone;
  readonly status: string;
  readonly label: string;
}

type Ended = Pick<ExchangeSummary, 'status' | 'errorCode' | 'endedBy'>;

const MAX_CODE_LENGTH = 60;

/** Describes the end of an exchange in a few words. An error code of the service is quoted, shortened. */
export function describeOutcome({ status, errorCode, endedBy }: Ended): OutcomeLabel {
  const shown = status === null ? '–' : String(status);
  if (status === null || (status < 400 && endedBy === 'client')) {
    return endedBy === 'client'
      ? { tone: 'none', status: shown, label: 'client disconnected' }
      : { tone: 'bad', status: shown, label: describeCode(errorCode) ?? 'no answer' };
  }
  if (status >= 400) {
    const tone = status >= 500 ? 'bad' : 'warn';
    return { tone, status: shown, label: describeCode(errorCode) ?? describeStatus(status) };
  }
  const failure = describeCode(errorCode);
  if (failure !== null) return { tone: 'bad', status: shown, label: failure };
  if (endedBy === 'gateway') return { tone: 'good', status: shown, label: 'answered by Gatehouse' };
  return { tone: 'good', status: shown, label: status < 300 ? 'done' : 'redirected' };
}

const STATUS_LABELS: Readonly<Record<number, string>> = {
  400: 'not accepted',
  401: 'the key was refused',
  403: 'not allowed',
  404: 'not found',
  408: 'timed out',
  413: 'too large',
  421: 'wrong host',
  426: 'no WebSocket',
  429: 'too many requests',
  500: 'the service failed',
  502: 'the service cut off the answer',
  503: 'not ready',
  504: 'the service was too slow',
};

function describeStatus(status: number): string {
  return STATUS_LABELS[status] ?? (status >= 500 ? 'the service failed' : 'refused');
}

function describeCode(code: string | null): string | null {
  if (code === null) return null;
  const words = code.replaceAll('_', ' ');
  return words.length > MAX_CODE_LENGTH ? `${words.slice(0, MAX_CODE_LENGTH)}…` : words;
}

const STAGE_LABELS: Readonly<Record<RunningExchange['stage'], string>> = {
  receiving: 'receiving the request',
  waiting: 'waiting for the service',
  answering: 'answering',
};

/** Describes the current phase of an exchange in progress. */
export function stageLabel(stage: RunningExchange['stage']): string {
  return STAGE_LABELS[stage];
}
