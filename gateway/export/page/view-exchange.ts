import type { StoredBody } from '../../../shared/exchange/body.ts';
import {
  describeCounted,
  describeGaps,
  markOmitted,
} from '../../../shared/exchange/describe-body.ts';
import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import { routeLabel } from '../../../shared/exchange/route-label.ts';
import {
  formatCount,
  formatDay,
  formatDuration,
  formatTimeOfDay,
  pluralize,
} from '../../../shared/format.ts';
import { describeCost } from '../../../shared/money/describe-cost.ts';
import {
  type AssembledResponse,
  assembleResponse,
} from '../../../shared/parse-bodies/assemble-response.ts';
import { countMasks } from '../../../shared/parse-bodies/find-masked.ts';
import type { Part } from '../../../shared/parse-bodies/parts.ts';
import { parseRequest } from '../../../shared/parse-bodies/parse-request.ts';
import {
  describeByte,
  describeChange,
  describeLoss,
  isNoted,
} from '../../../shared/run/cache-miss.ts';
import { describeDiagnosis } from '../../../shared/run/cache-diagnosis.ts';
import { describeStepFailure, findStepEnding } from '../../../shared/run/describe-run.ts';
import type { CacheDiagnosis, RunStep } from '../../../shared/run/run.ts';
import { type StoredExchange, toProtocol } from '../formatter.ts';
import { type Content, facts, fold, type Markup, markup, shareBar } from './markup.ts';
import type { OrderedStep } from './order-steps.ts';
import {
  digestAnswer,
  findLeftOut,
  listDigests,
  listNextDigests,
  listShownRebuilt,
  type RequestPlace,
  type Shown,
  viewAnswerPart,
  viewCode,
  viewRequest,
} from './view-messages.ts';

/** Where an exchange is shown. */
export interface ExchangePlace extends Pick<RequestPlace, 'before' | 'seen'> {
  /** Its place in the run of the page; `null` in a list of exchanges. */
  readonly ordered: OrderedStep | null;
  /** When the run began, in Unix milliseconds. */
  readonly startedAt: number;
  /** The currency of costs. */
  readonly currency: string;
}

/** Formats a Unix time in milliseconds. */
export function formatTime(ms: number): Markup {
  const exact = new Date(ms).toISOString();
  return markup`<time datetime="${exact}">${formatDay(ms)} ${formatTimeOfDay(ms)}</time>`;
}

/**
 * Shows an exchange: its facts, what its request adds, and the answer. Returns also what the next one need not repeat, and the number
 * of secrets that are masked in what is new: at most so many where messages were rebuilt.
 */
export function viewExchange(
  stored: StoredExchange,
  place: ExchangePlace,
): { readonly view: Markup; readonly shown: Shown } & NewMasks {
  const { exchange, bodies } = stored;
  const { ordered, before } = place;
  const protocol = toProtocol(exchange);
  const name = ordered === null ? exchange.id : `step ${ordered.number}`;
  const request = bodies?.sent ?? bodies?.received ?? null;
  const returned = bodies?.returned ?? null;
  const response =
    protocol === null || returned === null ? null : assembleResponse(protocol, returned);
  const conversation =
    protocol === null || request === null ? null : parseRequest(protocol, request, bodies?.earlier);
  const digests = conversation === null ? [] : listDigests(conversation);
  const answer = response === null ? null : digestAnswer(response.parts);
  const isStep = ordered !== null;
  const next = conversation === null ? [] : listNextDigests(conversation);
  const leftOut = findLeftOut(digests, { before, isStep }).filter(Boolean).length;
  // Where only some messages of the one before are left out, nobody knows how many secrets these have.
  const isKnown = before !== null && leftOut > 0 && leftOut === before.digests.length;
  const rebuilt = listShownRebuilt(conversation, digests, { before, isStep });
  const { masked, earlier, isAtMost } = countNewMasks(stored, rebuilt, isKnown ? before.masked : 0);
  // A list shows an answer again when the next request has it.
  const repeatable = earlier + countMasked(request, isStep ? returned : null);
  const shown = { id: exchange.id, name, digests: next, answer, masked: repeatable };
  const results = ordered?.step.results ?? [];
  const nameCall = (callId: string | null) =>
    results.find((result) => callId !== null && result.callId === callId)?.name ?? null;
  const asked =
    conversation === null
      ? viewRaw('Request', request)
      : markup`${viewGaps(request)}${viewRequest(conversation, digests, {
          ...place,
          shown,
          isStep,
          nameCall,
        })}`;
  const view = markup`<article class="step" id="${exchange.id}">
${viewHead(stored, place)}
${
  ordered === null
    ? null
    : [
        viewNotes(ordered, response?.error ?? exchange.errorMessage),
        viewCache(ordered, place.currency),
      ]
}${viewDiagnosis((ordered?.step ?? response)?.diagnosis ?? null, ordered)}${
    bodies === null || bodies.state === 'absent'
      ? markup`<p class="dim">The request and the response are not stored.</p>\n`
      : [
          asked,
          viewNewMasks(masked, isAtMost),
          // Of a step the notes say what failed.
          viewAnswer(
            response && (ordered === null ? response : { ...response, error: null }),
            returned,
            nameCall,
          ),
        ]
  }${ordered === null ? null : viewContext(ordered)}</article>\n`;
  return { view, shown, masked, earlier, isAtMost };
}

/** The secrets that are masked in what an exchange adds. */
interface NewMasks {
  readonly masked: number;
  /** Those in what was rebuilt before its request. */
  readonly earlier: number;
  /** Whether the numbers may be smaller: a text in what was rebuilt may also be one that a client sent. */
  readonly isAtMost: boolean;
}

/** Counts masked secrets. `rebuilt`: the parts of rebuilt messages that are shown; `known`: the secrets of the exchange before, where all of it is left out. */
function countNewMasks(
  { bodies }: StoredExchange,
  rebuilt: readonly Part[],
  known: number,
): NewMasks {
  const own = countMasked(bodies?.sent ?? bodies?.received ?? null, bodies?.returned ?? null);
  if (bodies?.earlier === undefined)
    return { masked: Math.max(0, own - known), earlier: 0, isAtMost: false };
  // What was rebuilt is no part of the stored request.
  const shown = countMasks(JSON.stringify(rebuilt));
  return { masked: own + shown, earlier: known + shown, isAtMost: shown > 0 };
}

/** Counts the secrets that are masked in bodies. */
function countMasked(...bodies: readonly (StoredBody | null)[]): number {
  return bodies.reduce((sum, body) => sum + (body?.masked ?? 0), 0);
}

function viewNewMasks(count: number, isAtMost: boolean): Markup | null {
  if (count === 0) return null;
  return markup`<p class="dim">${isAtMost ? 'At most ' : ''}${pluralize(count, 'secret')} ${count === 1 ? 'is' : 'are'} masked here.</p>\n`;
}

function viewGaps(body: StoredBody | null): Markup | null {
  const gaps = body === null ? '' : describeGaps({ ...body, masked: 0 });
  return gaps === '' ? null : markup`<p class="dim">${gaps}</p>\n`;
}

function viewRaw(label: string, body: StoredBody | null): Markup {
  if (body === null) return markup`<p class="dim">${label}: no body, or it is not stored.</p>\n`;
  return markup`${viewGaps(body)}${body.binary ? null : viewCode(label, markOmitted(body))}`;
}

function viewAnswer(
  response: AssembledResponse | null,
  body: StoredBody | null,
  nameCall: RequestPlace['nameCall'],
): Content {
  if (response === null) return viewRaw('Response', body);
  const { parts, error, finish, isComplete } = response;
  const ends = [
    isComplete ? '' : 'The answer ended before it was complete.',
    finish === null ? '' : `Finish reason: ${finish}`,
  ].filter((text) => text !== '');
  return [
    viewGaps(body),
    parts.map((part) => viewAnswerPart(part, nameCall)),
    error === null ? null : viewCode('Error', error, true),
    ends.length === 0 ? null : markup`<p class="dim">${ends.join(' ')}</p>\n`,
  ];
}

function viewHead({ exchange, mark }: StoredExchange, place: ExchangePlace): Content {
  const { ordered, startedAt, currency } = place;
  const { service, status, errorCode, errorMessage, repairs, sender } = exchange;
  const cost = describeCost(exchange.cost, { currency, service });
  const offset = exchange.startedAt - startedAt;
  const line = [
    ordered === null ? exchange.id : offset <= 0 ? 'Start' : `+ ${formatDuration(offset)}`,
    exchange.modelSent ?? exchange.modelAsked ?? '',
    formatTimes(exchange),
    formatTokens(exchange),
    cost === null ? '' : `cost ${cost}`,
    repairs.length === 0 ? '' : `repairs: ${repairs.map(({ code }) => code).join(', ')}`,
    ordered?.step.repeated === true ? 'its messages are those of the step before' : '',
  ].filter((text) => text !== '');
  return [
    viewTitle(exchange, ordered),
    markup`<p class="dim">${line.join(' · ')}</p>\n`,
    facts([
      ['Client', ordered === null ? (exchange.clientName ?? 'unknown') : null],
      ['Status', ordered === null ? [status, errorCode].filter(Boolean).join(' ') : null],
      ['Error', ordered === null ? errorMessage : null],
      ['Run', ordered === null ? exchange.run : null],
      ['Agent', [sender?.agentType, sender?.agent].filter(Boolean).join(' ')],
      ['Project', ordered === null ? (sender?.project ?? null) : null],
      ['Pinned', mark?.pinned === true ? 'yes' : null],
      ['Tags', mark?.tags.join(', ') ?? null],
      ['Note', mark?.note ?? null],
    ]),
  ];
}

function viewTitle({ route, startedAt }: ExchangeRecord, ordered: OrderedStep | null): Markup {
  if (ordered === null) return markup`<h2>${routeLabel(route)}, ${formatTime(startedAt)}</h2>`;
  const title = `Step ${ordered.number}`;
  const level = ordered.path.length;
  if (level === 1) return markup`<h3>${title}</h3>`;
  return level === 2 ? markup`<h5>${title}</h5>` : markup`<h6>${title}</h6>`;
}

function formatTimes({ durationMs, firstByteMs }: ExchangeRecord): string {
  const first = firstByteMs === null ? '' : `, first byte after ${formatDuration(firstByteMs)}`;
  return `${formatDuration(durationMs)}${first}`;
}

function formatTokens({ usage }: ExchangeRecord): string {
  const { source, input, output, cacheRead, reasoning } = usage;
  if (source === 'unknown') return '';
  const cached =
    input === null || cacheRead === null || input === 0
      ? ''
      : ` (${Math.round((100 * cacheRead) / input)} % from the cache)`;
  const thought =
    reasoning === null || reasoning === 0 ? '' : ` (${formatCount(reasoning)} reasoning)`;
  const how = source === 'estimated' ? ', estimated' : '';
  return `${formatCount(input)} tokens in${cached}, ${formatCount(output)} out${thought}${how}`;
}

/** Says why a step failed. */
function viewNotes({ step }: OrderedStep, error: string | null): Content {
  // The error of the step itself is cut.
  const failure = describeStepFailure({ ...step, error });
  if (failure === null) return null;
  const isLeft = findStepEnding(step) === 'left';
  return markup`<p class="bad">${isLeft ? 'The client left before the end.' : `Failed: ${failure}.`}</p>\n`;
}

/** Says why the cache missed, or what of an earlier part of the request changed although it did not. */
function viewCache({ step: { change }, miss }: OrderedStep, currency: string): Content {
  const isShown = change !== null && (miss !== null || isNoted(change));
  if (miss === null && !isShown) return null;
  const title =
    miss === null
      ? 'An earlier part of the request changed'
      : `The cache missed: ${describeLoss(miss, currency)}`;
  const causes =
    miss === null
      ? [change === null ? '' : describeChange(change)]
      : miss.causes.map(({ text }) => text);
  return markup`<div class="warn"><p><b>${title}</b>: ${causes.join('; also: ')}.</p>${
    change === null
      ? null
      : facts([
          ['Before', change.before === '' ? '(nothing)' : change.before],
          ['Now', change.now === '' ? '(nothing)' : change.now],
          ['Place', describeByte(change)],
        ])
  }</div>\n`;
}

/** Shows what the service says of its cache. */
function viewDiagnosis(diagnosis: CacheDiagnosis | null, ordered: OrderedStep | null): Content {
  const found = describeDiagnosis(diagnosis, ordered !== null && ordered.miss !== null);
  return found === null ? null : markup`<p class="dim">${found}</p>\n`;
}

function viewContext({ step: { context, earlier } }: OrderedStep): Markup {
  const { newest, history, system, tools, largestTools, largestResults } = context;
  return fold('Parts of the request', [
    shareBar('In characters', [
      { name: 'Newest', amount: newest, text: formatCount(newest) },
      { name: 'Earlier messages', amount: history, text: formatCount(history) },
      { name: 'System', amount: system, text: formatCount(system) },
      { name: 'Tools', amount: tools, text: formatCount(tools) },
    ]),
    earlier === null ? null : markup`<p class="dim">${describeCounted(earlier)}</p>\n`,
    facts([
      ['Largest definitions of tools', listLargest(largestTools)],
      ['Largest results of tools', listLargest(largestResults)],
    ]),
  ]);
}

function listLargest(items: RunStep['context']['largestTools']): string {
  return items.map(({ name, length }) => `${name} (${formatCount(length)})`).join(', ');
}
