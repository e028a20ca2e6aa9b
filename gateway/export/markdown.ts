import type { ExchangeBodies, StoredBody } from '../../shared/exchange/body.ts';
import { describeGaps, markOmitted } from '../../shared/exchange/describe-body.ts';
import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import { formatCount, formatDay, formatDuration, formatTimeOfDay } from '../../shared/format.ts';
import { assembleResponse } from '../../shared/parse-bodies/assemble-response.ts';
import { formatArguments, formatJson } from '../../shared/parse-bodies/json.ts';
import { type Conversation, parseRequest } from '../../shared/parse-bodies/parse-request.ts';
import {
  describeCall,
  type Message,
  pairResults,
  type Part,
} from '../../shared/parse-bodies/parts.ts';
import { describeDiagnosis } from '../../shared/run/cache-diagnosis.ts';
import { describeAgain, groupFailures, type StepGroup } from '../../shared/run/describe-run.ts';
import type { CostedRun } from '../../shared/run/run.ts';
import { routeLabel } from '../../shared/exchange/route-label.ts';
import { formatCode, formatFence, toSingleLine } from '../lib/markdown.ts';
import { type Formatter, type StoredExchange, toProtocol } from './formatter.ts';

/**
 * Formats exchanges for reading. Texts of models are quoted Markdown, all others blocks of code, so that none can change what
 * follows it. Messages that the exchange before has, too, are left out, because a request of an agent repeats them. They are not
 * counted: a result of a tool is shown under its call, and so a request has more messages than are shown. Steps of the run that are the
 * same request and failed in the same way are counted in place of being shown.
 */
export function createMarkdownFormatter(run: CostedRun | null): Formatter {
  let before: Shown | null = null;
  const groups = new Map<string, StepGroup>(
    (run?.sequences ?? [])
      .flatMap(({ steps }) => groupFailures(steps))
      .filter(({ again }) => again.length > 0)
      .flatMap((group) => listSteps(group).map(({ id }) => [id, group])),
  );
  /** The groups of which a step was shown, with the steps that are counted in the next line. */
  const shown = new Map<StepGroup, StepGroup['step'][]>();
  const countHidden = (): string =>
    [...shown]
      .filter(([, again]) => again.length > 0)
      .map(([group, again]) => {
        shown.set(group, []);
        return `${formatCode(describeAgain({ ...group, again }))}\n\n`;
      })
      .join('');
  return {
    begin: '# Requests and responses\n\n',
    format: (stored) => {
      const { exchange, bodies } = stored;
      const group = groups.get(exchange.id);
      const hidden = group && shown.get(group);
      if (group !== undefined && hidden !== undefined) {
        hidden.push(...listSteps(group).filter(({ id }) => id === exchange.id));
        return '';
      }
      const counted = countHidden();
      if (group !== undefined) shown.set(group, []);
      const conversation = readConversation(exchange, bodies);
      const parts = [
        formatHead(stored),
        ...(bodies === null || bodies.state === 'absent'
          ? ['The request and the response are not stored.']
          : [
              '### Request',
              ...formatRequest(bodies.sent ?? bodies.received, conversation, before),
              '### Response',
              ...formatResponse(exchange, bodies.returned),
            ]),
      ];
      before =
        conversation === null
          ? null
          : {
              id: exchange.id,
              // The next request has each result under its call.
              messages: pairResults(listSent(conversation.messages)).map(formatMessage),
            };
      return `${counted}${parts.filter((part) => part !== '').join('\n\n')}\n\n`;
    },
    end: countHidden,
  };
}

function listSteps({ step, again }: StepGroup): readonly StepGroup['step'][] {
  return [step, ...again];
}

/** The messages of the exchange before. */
interface Shown {
  readonly id: string;
  readonly messages: readonly string[];
}

function readConversation(
  exchange: ExchangeRecord,
  bodies: ExchangeBodies | null,
): Conversation | null {
  const protocol = toProtocol(exchange);
  const body = bodies?.sent ?? bodies?.received ?? null;
  return protocol === null || body === null ? null : parseRequest(protocol, body, bodies?.earlier);
}

function formatHead({ exchange, mark }: StoredExchange): string {
  const { id, startedAt, route, clientName, modelSent, modelAsked, status, usage } = exchange;
  const { durationMs, firstByteMs, errorCode, errorMessage, repairs, run, sender } = exchange;
  const facts = [
    ['Client', formatName(clientName ?? 'unknown')],
    ['Model', formatName(modelSent ?? modelAsked ?? '')],
    ['Status', [status, errorCode].filter((part) => part !== null).join(' ')],
    ['Error', formatName(errorMessage ?? '')],
    [
      'Time',
      `${formatDuration(durationMs)}${firstByteMs === null ? '' : `, first byte after ${formatDuration(firstByteMs)}`}`,
    ],
    [
      'Tokens',
      usage.source === 'unknown'
        ? ''
        : `${formatCount(usage.input)} in, ${formatCount(usage.output)} out`,
    ],
    ['Run', formatName(run ?? '')],
    ['Agent', formatName([sender?.agentType, sender?.agent].filter(Boolean).join(' '))],
    ['Project', formatName(sender?.project ?? '')],
    ['Repairs', repairs.map(({ code }) => code).join(', ')],
    ['Pinned', mark?.pinned === true ? 'yes' : ''],
    ['Tags', mark?.tags.map(formatCode).join(', ') ?? ''],
    ['Note', formatName(mark?.note ?? '')],
  ]
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `- ${name}: ${text}`);
  const time = `${formatDay(startedAt)} ${formatTimeOfDay(startedAt)}`;
  return `## ${routeLabel(route)}, ${time} (${id})\n\n${facts.join('\n')}`;
}

function formatName(name: string): string {
  return name === '' ? '' : formatCode(name);
}

function formatRequest(
  body: StoredBody | null,
  conversation: Conversation | null,
  before: Shown | null,
): string[] {
  if (body === null) return ['It has no body, or none is stored.'];
  const gaps = describeGaps(body);
  if (conversation === null) return [gaps, body.binary ? '' : formatFence(markOmitted(body))];
  const { parameters, tools, messages } = conversation;
  const repeated = countRepeated(listSent(messages).map(formatMessage), before);
  const mark = messages.findIndex((message) => message.mark === 'earlier');
  // The mark is no message of the exchange before.
  const left = mark !== -1 && mark < repeated ? repeated + 1 : repeated;
  const shown = mark !== -1 && mark < repeated ? messages.slice(mark, mark + 1) : [];
  return [
    gaps,
    parameters.map(({ name, value }) => formatCode(`${name} ${value}`)).join(', '),
    tools.length === 0 ? '' : `Tools: ${tools.map(({ name }) => formatCode(name)).join(', ')}`,
    repeated === 0
      ? ''
      : `*It begins with all messages of the exchange before (${before?.id}), which are left out here.*`,
    ...[...shown, ...messages.slice(left)].map(formatMessage),
  ];
}

/** Returns the messages without the mark before those that a request sent itself. */
function listSent(messages: readonly Message[]): readonly Message[] {
  return messages.filter(({ mark }) => mark !== 'earlier');
}

/** Counts the messages that a request repeats, when it repeats all of the one before. */
function countRepeated(messages: readonly string[], before: Shown | null): number {
  if (before === null) return 0;
  const isRepeated = before.messages.every((message, place) => message === messages[place]);
  return isRepeated ? before.messages.length : 0;
}

function formatMessage({ role, parts, mark }: Message): string {
  if (mark === 'omitted') return '*The messages in the middle are not stored.*';
  if (mark === 'earlier')
    return parts.map((part) => (part.kind === 'text' ? `*${part.text}*` : '')).join('');
  const title = `#### ${toSingleLine(role)}`;
  const texts = parts.length === 0 ? ['*Empty.*'] : parts.map((part) => formatPart(part, role));
  return [title, ...texts].join('\n\n');
}

function formatResponse(exchange: ExchangeRecord, body: StoredBody | null): string[] {
  if (body === null) return ['No body was returned, or it is not stored.'];
  const protocol = toProtocol(exchange);
  const response = protocol === null ? null : assembleResponse(protocol, body);
  const gaps = describeGaps(body);
  if (response === null) return [gaps, body.binary ? '' : formatFence(markOmitted(body))];
  const { parts, finish, error, isComplete, diagnosis } = response;
  return [
    gaps,
    ...parts.map((part) => formatPart(part, 'assistant')),
    error === null ? '' : `Error: ${formatCode(error)}`,
    finish === null ? '' : `Finish reason: ${formatCode(finish)}`,
    // Whether the cache missed is not known here.
    describeDiagnosis(diagnosis, false) ?? '',
    isComplete ? '' : '*The answer ended before it was complete.*',
  ];
}

function formatPart(part: Part, role: string): string {
  switch (part.kind) {
    case 'text':
      return role === 'assistant' ? formatQuote(part.text) : formatFence(part.text);
    case 'reasoning':
      return `Reasoning:\n\n${formatFence(part.text)}`;
    case 'call':
      return [
        `Call of ${formatCode(part.name)}:\n\n${formatFence(formatArguments(part.input))}`,
        ...(part.result === null ? [] : [formatPart(part.result, role)]),
      ].join('\n\n');
    case 'result':
      return [
        `Result${part.call === undefined ? '' : ` of ${formatCode(describeCall(part.call))}`}${part.isError ? ', an error' : ''}:${part.parts.length === 0 ? ' empty.' : ''}`,
        ...part.parts.map((one) => formatPart(one, 'tool')),
      ].join('\n\n');
    case 'image':
      // The bytes of an image are of no use to a reader.
      return `Image: ${formatCode(part.source.replace(/^(data:[^,]*),.*$/su, '$1'))}`;
    case 'other':
      return formatFence(formatJson(part.value));
  }
}

function formatQuote(text: string): string {
  return text
    .trim()
    .split(/\r\n|\r|\n/u)
    .map((line) => `> ${line}`)
    .join('\n');
}
