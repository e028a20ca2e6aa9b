import { formatCount, formatDuration, pluralize } from '../../../shared/format.ts';
import { describeCosts } from '../../../shared/money/describe-cost.ts';
import { describeMisses } from '../../../shared/run/cache-miss.ts';
import { describeAgain, listRunTime } from '../../../shared/run/describe-run.ts';
import type { CostedRun, RunStep } from '../../../shared/run/run.ts';
import { facts, fold, type Markup, markup, shareBar } from './markup.ts';
import type { OrderedStep } from './order-steps.ts';
import { formatTime } from './view-exchange.ts';

const MAX_EXCERPT = 90;

/** Returns the task of a run, or says that it has no text. */
export function nameRun({ run: { title } }: CostedRun): string {
  return title === '' ? 'A run without a text' : title;
}

/** Shows what is known of a run as a whole. */
export function viewRun({ run, sequences, costs, missed }: CostedRun, currency: string): Markup {
  const { input, cacheRead, failed, conversation, steps } = run;
  const cached =
    input === null || cacheRead === null || input === 0
      ? ''
      : `, ${Math.round((100 * cacheRead) / input)} % from the cache`;
  const end = run.endedWell ? 'but the latest answer came whole' : 'also the latest';
  return markup`<p class="dim">A run of an agent · ${formatTime(run.startedAt)} · ${formatDuration(
    run.endedAt - run.startedAt,
  )} · ${pluralize(steps, 'step')} · ${pluralize(run.calls, 'tool call')}</p>
${facts([
  ['Client', run.clientName ?? 'unknown'],
  [run.models.length === 1 ? 'Model' : 'Models', run.models.join(', ')],
  ['Tokens in', `${formatCount(input)}${cached}`],
  ['Tokens out', formatCount(run.output)],
  ['Cost', describeCosts(Object.values(costs), currency)],
  ['Cache missed', describeMisses(missed, currency)],
  ['Failed steps', failed === 0 ? 'none' : `${formatCount(failed)}, ${end}`],
  ['Run', run.id],
])}${shareBar('Where the time went', listRunTime(sequences))}${
    conversation === null && steps > 1
      ? markup`<p class="dim">The client does not name its runs: requests with the same messages, or with more after them, count as one.</p>\n`
      : null
  }`;
}

/** Lists the steps of a run with links to them; those that only failed again have one for all. */
export function viewContents(ordered: readonly OrderedStep[]): Markup {
  const entries = ordered
    .filter(({ step, group }) => group === null || group.again[0] === step)
    .map(
      ({ step, number, path, group }) =>
        markup`<li style="padding-inline-start:${Math.min(path.length - 1, 4)}rem"><a href="#${step.id}">${number}. ${group === null ? excerpt(step) : describeAgain(group)}</a></li>\n`,
    );
  return markup`<nav aria-label="Contents">${fold('Contents', markup`<ol>${entries}</ol>`)}</nav>\n`;
}

/** Names what happened in a step, in one line. */
function excerpt({ prompt, calls, answer, errorCode, error }: RunStep): string {
  const text =
    prompt ?? (calls.length > 0 ? calls.map(({ name }) => name).join(', ') : (answer ?? ''));
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  if (line === '') return errorCode ?? (error === null ? 'without a text' : 'an error');
  return line.length > MAX_EXCERPT ? `${line.slice(0, MAX_EXCERPT - 1)}…` : line;
}
