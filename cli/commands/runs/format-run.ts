import {
  describeByte,
  describeChange,
  describeLoss,
  describeMisses,
  isNoted,
} from '../../../shared/run/cache-miss.ts';
import { describeDiagnosis } from '../../../shared/run/cache-diagnosis.ts';
import {
  describeAgain,
  describeStepFailure,
  groupFailures,
  SEQUENCE_NAMES,
  type RunTime,
  splitRunTime,
} from '../../../shared/run/describe-run.ts';
import { describeCosts } from '../../../shared/money/describe-cost.ts';
import { formatCount, formatDuration, pluralize } from '../../../shared/format.ts';
import type {
  CostedMiss,
  CostedRun,
  RunSequence,
  RunStep,
  StepChange,
} from '../../../shared/run/run.ts';
import { escapeControls, formatTimestamp } from '../../output/format.ts';
import type { DetailRow } from '../../output/format-exchange.ts';

/** One line about a step, or the heading of a step or a sequence. */
export interface RunLine {
  readonly text: string;
  /** In columns. */
  readonly indent: number;
  readonly isHeading: boolean;
}

const TEXT_INDENT = 4;
const AGENT_INDENT = 4;

/** What the steps of a run cost. */
interface RunMoney extends Pick<CostedRun, 'costs' | 'misses'> {
  readonly currency: string;
}

/** Formats what is known of a run as a whole. */
export function describeRun(
  { run, sequences, moreSteps, costs, missed }: CostedRun,
  currency: string,
): readonly DetailRow[] {
  const time = splitRunTime(sequences);
  const { input, output, cacheRead } = run;
  const cached = cacheRead === null ? '' : ` (${formatCount(cacheRead)} from the cache)`;
  return [
    ['Run', run.id],
    ['Task', run.title],
    ['Client', run.clientName ?? 'unknown'],
    [
      'Conversation',
      run.conversation ?? (run.steps > 1 ? 'none: recognised by its messages' : 'none'),
    ],
    ['Models', run.models.join(', ')],
    ['Started', formatTimestamp(run.startedAt)],
    ['Time', `${formatDuration(run.endedAt - run.startedAt)}: ${formatShares(time)}`],
    ['Steps', `${formatCount(run.steps)}, ${formatCount(run.failed)} failed`],
    ['Tool calls', formatCount(run.calls)],
    ['Tokens', `${formatCount(input)} in${cached}, ${formatCount(output)} out`],
    ['Cost', describeCosts(Object.values(costs), currency) ?? ''],
    ['Cache missed', describeMisses(missed, currency) ?? ''],
    ['Not listed', moreSteps === 0 ? '' : pluralize(moreSteps, 'later step')],
  ]
    .filter(([, text]) => text !== '')
    .map(([name = '', text = '']) => ({ name, text: escapeControls(text) }));
}

/** Lists where the time went; what took none is left out. */
function formatShares({ firstByte, answering, tools, waiting }: RunTime): string {
  const shares = [
    ['tools', tools],
    ['waiting', waiting],
  ] as const;
  const others = shares.filter(([, ms]) => ms > 0);
  const model = `model ${formatDuration(firstByte + answering)} (until the first byte ${formatDuration(firstByte)})`;
  return [model, ...others.map(([name, ms]) => `${name} ${formatDuration(ms)}`)].join(', ');
}

/** Formats the steps of a run. An agent that a tool call started is below that step. */
export function listRunLines(
  { sequences, costs, misses }: CostedRun,
  currency: string,
): readonly RunLine[] {
  const money = { costs, misses, currency };
  const placed = new Set(sequences.flatMap(({ steps }) => steps.map(({ id }) => id)));
  const isNested = ({ startedBy }: RunSequence) => startedBy !== null && placed.has(startedBy);
  const top = sequences.filter((sequence) => !isNested(sequence));
  const seen = new Set<number>();
  const format = (sequence: RunSequence, indent: number): RunLine[] => {
    if (seen.has(sequence.id)) return [];
    seen.add(sequence.id);
    const { kind, steps } = sequence;
    const heading = { text: SEQUENCE_NAMES[kind], indent, isHeading: true };
    return [
      ...(indent === 0 && top.length === 1 ? [] : [heading]),
      ...groupFailures(steps).flatMap(({ step, again }) => [
        ...formatStep(step, { indent, number: steps.indexOf(step) + 1, money }),
        ...(again.length === 0
          ? []
          : [
              {
                text: describeAgain({ step, again }),
                indent: indent + TEXT_INDENT,
                isHeading: false,
              },
            ]),
        ...sequences
          .filter(({ startedBy }) => startedBy === step.id)
          .flatMap((started) => format(started, indent + AGENT_INDENT)),
      ]),
    ];
  };
  return top
    .flatMap((sequence) => format(sequence, 0))
    .map((line) => ({ ...line, text: escapeControls(line.text) }));
}

interface StepPlace {
  readonly indent: number;
  readonly number: number;
  readonly money: RunMoney;
}

function formatStepCost(cost: CostedRun['costs'][string], currency: string): string {
  const { amount, source } = cost;
  if (source === 'unpriced') return 'no price known';
  return (amount === null ? null : describeCosts([cost], currency)) ?? 'cost unknown';
}

function formatStep(step: RunStep, { indent, number, money }: StepPlace): RunLine[] {
  const { input, output } = step.usage;
  const cost = money.costs[step.id];
  const failure = describeStepFailure(step);
  const facts = [
    step.id,
    step.model ?? 'unknown model',
    formatDuration(step.durationMs),
    `${formatCount(input)} in, ${formatCount(output)} out`,
    ...(cost === undefined ? [] : [formatStepCost(cost, money.currency)]),
  ];
  const lines = [
    ...(step.repeated ? ['The same request again.'] : []),
    ...(step.prompt === null ? [] : [`User: ${oneLine(step.prompt)}`]),
    ...step.results.map(
      ({ name, text, isError, length }) =>
        `Result of ${name ?? 'a tool'}${isError ? ', an error' : ''} (${pluralize(length, 'character')}): ${oneLine(text)}`,
    ),
    ...(step.moreResults === 0 ? [] : [pluralize(step.moreResults, 'more result')]),
    ...formatCache(step, money),
    ...(step.answer === null ? [] : [`Answer: ${oneLine(step.answer)}`]),
    ...step.calls.map(({ name, input: text }) => `Call of ${name}: ${oneLine(text)}`),
    ...(step.moreCalls === 0 ? [] : [`${formatCount(step.moreCalls)} more calls`]),
    ...(failure === null ? [] : [`Failed: ${failure}`]),
  ];
  return [
    { text: `${number}. ${facts.join(', ')}`, indent, isHeading: true },
    ...lines.map((text) => ({ text, indent: indent + TEXT_INDENT, isHeading: false })),
  ];
}

/** Says why the cache missed, or what of an earlier part changed although it did not, with the lines that differ, and what the service says. */
function formatCache(step: RunStep, { misses, currency }: RunMoney): string[] {
  const miss = misses[step.id];
  const found = describeDiagnosis(step.diagnosis, miss !== undefined);
  return [...formatOwnCauses(step, miss, currency), ...(found === null ? [] : [found])];
}

function formatOwnCauses(step: RunStep, miss: CostedMiss | undefined, currency: string): string[] {
  const { change } = step;
  if (miss === undefined && (change === null || !isNoted(change))) return [];
  const difference = change === null ? [] : listDifference(change);
  if (miss === undefined) {
    return [...(change === null ? [] : [`Changed: ${describeChange(change)}.`]), ...difference];
  }
  const [first, ...others] = miss.causes;
  return [
    `Cache missed: ${describeLoss(miss, currency)}; ${first?.text ?? ''}.`,
    ...others.map(({ text }) => `  Also: ${text}.`),
    ...difference,
  ];
}

function listDifference(change: StepChange): string[] {
  const place = describeByte(change);
  return [
    `  before: ${oneLine(change.before)}`,
    `  now:    ${oneLine(change.now)}`,
    ...(place === null ? [] : [`  ${place}`]),
  ];
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}
