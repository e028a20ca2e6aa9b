import type { ExchangeBodies } from '../../../shared/exchange/body.ts';
import type { TextProtocol } from '../../../shared/chat/chat.ts';
import { formatParts } from '../../../shared/compare/message-text.ts';
import type { ExchangeId, ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import { formatCount, formatDuration } from '../../../shared/format.ts';
import type { Cost } from '../../../shared/money/cost.ts';
import { describeCost } from '../../../shared/money/describe-cost.ts';
import type { ExchangeDetail } from '../../../shared/history/history.ts';
import { assembleResponse } from '../../../shared/parse-bodies/assemble-response.ts';
import type { ReplayResponse } from '../../../shared/replay.ts';
import type { CommandContext } from '../../command-context.ts';
import { escapeControls } from '../../output/format.ts';

/** An answer to a request. */
export interface AnswerReport {
  /** The exchange; `null` when there is none. */
  readonly id: ExchangeId | null;
  readonly model: string;
  readonly status: number | null;
  /** Its texts and tool calls. */
  readonly text: string;
  readonly finish: string | null;
  readonly durationMs: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** What it cost; `null` when there was nothing to pay, or nothing is recorded. */
  readonly cost: Cost | null;
  /** Stable id of the service; `null` when nothing is recorded. */
  readonly service: string | null;
  /** Why it is missing or incomplete; `null` when it is complete. */
  readonly problem: string | null;
}

const INDENT = 4;

/** Describes the first answer, as far as it is stored. */
export function describeFirst(
  protocol: TextProtocol,
  { exchange }: ExchangeDetail,
  { returned }: ExchangeBodies,
): AnswerReport {
  const body = { text: returned?.text ?? '', contentType: returned?.contentType ?? null };
  const { id, status, modelSent, modelAsked } = exchange;
  const isCut = returned?.omitted !== null;
  const model = modelSent ?? modelAsked ?? 'unknown model';
  return { id, model, ...describe(protocol, { ...body, status, isCut, exchange }) };
}

/** Describes the answer of a replay. `response`: the reason when there is none. */
export function describeReplay(
  protocol: TextProtocol,
  model: string,
  response: ReplayResponse | string,
): AnswerReport {
  if (typeof response !== 'string') {
    return { id: response.id, model, ...describe(protocol, response) };
  }
  const none = { status: null, text: '', finish: null, durationMs: null };
  return {
    id: null,
    model,
    ...none,
    inputTokens: null,
    outputTokens: null,
    cost: null,
    service: null,
    problem: response,
  };
}

interface Received {
  readonly text: string;
  readonly contentType: string | null;
  readonly status: number | null;
  readonly isCut: boolean;
  readonly exchange: ExchangeRecord | null;
}

function describe(
  protocol: TextProtocol,
  { text, contentType, status, isCut, exchange }: Received,
): Omit<AnswerReport, 'id' | 'model'> {
  const answer = assembleResponse(protocol, { text, contentType, omitted: null });
  const isRefused = status === null || status < 200 || status > 299;
  const problem =
    answer?.error ??
    (isRefused
      ? `The status was ${status ?? 'unknown'}.`
      : answer === null
        ? 'There is no answer in the response.'
        : isCut
          ? 'The answer is not complete.'
          : null);
  return {
    status,
    text: formatParts(answer?.parts ?? []),
    finish: answer?.finish ?? null,
    durationMs: exchange?.durationMs ?? null,
    inputTokens: exchange?.usage.input ?? null,
    outputTokens: exchange?.usage.output ?? null,
    cost: exchange?.cost ?? null,
    service: exchange?.service ?? null,
    problem,
  };
}

/** Prints the first answer, and below it those of the replays. */
export function printReports(
  terminal: CommandContext['terminal'],
  [first, ...replays]: readonly AnswerReport[],
  { isJson, currency }: { readonly isJson: boolean; readonly currency: string },
): void {
  if (isJson) return terminal.printJson({ currency, first, replays });
  if (first !== undefined) printReport(terminal, first, { title: 'First answer, ', currency });
  for (const report of replays) {
    terminal.print('');
    printReport(terminal, report, { title: '', currency });
  }
}

function printReport(
  terminal: CommandContext['terminal'],
  report: AnswerReport,
  { title, currency }: { readonly title: string; readonly currency: string },
): void {
  const { id, model, durationMs, inputTokens, outputTokens, text, problem, service } = report;
  const cost = describeCost(report.cost, { currency, service });
  const facts = [
    title + model,
    ...(id === null ? [] : [id]),
    ...(durationMs === null ? [] : [formatDuration(durationMs)]),
    `${formatCount(inputTokens)} in`,
    `${formatCount(outputTokens)} out`,
    ...(cost === null ? [] : [cost]),
  ];
  terminal.print(terminal.bold(escapeControls(facts.join(', '))));
  const first = ' '.repeat(INDENT);
  if (text !== '') terminal.printText(text, { first, width: INDENT });
  if (problem !== null) terminal.printText(`Failed: ${problem}`, { first, width: INDENT });
}
