import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  describeByte,
  describeChange,
  describeLoss,
  isNoted,
} from '../../../shared/run/cache-miss.ts';
import { describeCounted } from '../../../shared/exchange/describe-body.ts';
import { describeDiagnosis } from '../../../shared/run/cache-diagnosis.ts';
import { formatCount, pluralize } from '../../../shared/format.ts';
import type { CostedMiss, RunStep, StepChange } from '../../../shared/run/run.ts';
import { useCalls } from '../../api/client.ts';
import { useCurrency } from '../../hooks/use-currency.ts';
import { findContextWindow } from '../../../shared/model-metadata/model-facts.ts';
import { ShareBar } from '../share-bar.tsx';
import classes from './step-notes.module.css';

/** Colours in which the words of a warning can be read in both schemes. */
const WARNING = {
  root: { background: 'var(--gate-warn-soft)' },
  title: { color: 'var(--gate-warn)' },
} as const;

interface CacheNoteProps {
  readonly step: RunStep;
  /** `null` when the cache did not miss. */
  readonly miss: CostedMiss | null;
}

/** Says why the cache missed and what that cost, or that an earlier part changed, and what the service says of it; nothing when a request only adds to the one before. */
export function CacheNote({ step, miss }: CacheNoteProps) {
  const { change, diagnosis } = step;
  const found = describeDiagnosis(diagnosis, miss !== null);
  const isChanged = change !== null && isNoted(change);
  return (
    <>
      {miss === null ? (
        isChanged && <ChangeNote {...change} />
      ) : (
        <MissNote miss={miss} change={change} />
      )}
      {found !== null && (
        <Text size="sm" mt={4}>
          {found}
        </Text>
      )}
    </>
  );
}

interface MissNoteProps {
  readonly miss: CostedMiss;
  readonly change: StepChange | null;
}

function MissNote({ miss, change }: MissNoteProps) {
  const currency = useCurrency();
  const [first, ...others] = miss.causes;
  return (
    <Alert
      variant="light"
      p="xs"
      styles={WARNING}
      title={`The cache missed: ${describeLoss(miss, currency)}`}
    >
      <Text size="sm">{toSentence(first?.text ?? '')}</Text>
      {others.map(({ kind, text }) => (
        <Text key={kind} size="sm">
          Also: {text}.
        </Text>
      ))}
      {change !== null && <Difference {...change} />}
    </Alert>
  );
}

/** Notes a change that made no cache miss, as far as the service reports it. */
function ChangeNote(change: StepChange) {
  const isShortened = change.kind === 'shortened';
  return (
    <Alert
      variant="light"
      color="gray"
      p="xs"
      title={isShortened ? 'The history was shortened' : 'An earlier part of the request changed'}
    >
      <Text size="sm">
        {toSentence(describeChange(change))}{' '}
        {isShortened
          ? 'That is no fault: what comes after is new to the cache.'
          : 'Services cache requests only up to the first difference.'}
      </Text>
      <Difference {...change} />
    </Alert>
  );
}

/** Shows the lines that differ, and where they are in the request. */
function Difference(change: StepChange) {
  const { before, now } = change;
  const place = describeByte(change);
  return (
    <>
      <dl className={classes['change']}>
        <dt>Before</dt>
        <dd>{before === '' ? '(nothing)' : before}</dd>
        <dt>Now</dt>
        <dd>{now === '' ? '(nothing)' : now}</dd>
      </dl>
      {place !== null && (
        <Text size="xs" c="dimmed" mt={4}>
          {place}
        </Text>
      )}
    </>
  );
}

function toSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** The part of a model's context from which a warning is shown. */
const NEARLY_FULL = 0.8;

/** Shows the parts that fill a request, the largest tools and results, and how much of the model's context it takes. */
export function ContextView({
  step: { context, usage, model, earlier },
}: {
  readonly step: RunStep;
}) {
  const { data } = useQuery(useCalls().models.list.queryOptions());
  const known = data?.models.find((entry) => entry.model.id === model)?.model;
  const window = known === undefined ? null : findContextWindow(known);
  const filled = window === null || usage.input === null ? null : usage.input / window;
  return (
    <div className={classes['context']}>
      <ShareBar
        label="Parts of the request, in characters"
        shares={[
          { name: 'Newest', amount: context.newest, text: formatCount(context.newest) },
          { name: 'Earlier messages', amount: context.history, text: formatCount(context.history) },
          { name: 'System', amount: context.system, text: formatCount(context.system) },
          { name: 'Tools', amount: context.tools, text: formatCount(context.tools) },
        ]}
      />
      <Text size="xs" c="dimmed">
        In characters.
        {earlier !== null && ` ${describeCounted(earlier)}`}
        {usage.input !== null && ` The service counted ${pluralize(usage.input, 'token')}.`}
      </Text>
      {filled !== null && window !== null && filled >= NEARLY_FULL && (
        <Text size="sm" c="var(--gate-warn)">
          This is {Math.round(filled * 100)} % of the {formatCount(window)} tokens that the model
          can read.
        </Text>
      )}
      <Largest title="Largest definitions of tools" items={context.largestTools} />
      <Largest title="Largest results of tools" items={context.largestResults} />
    </div>
  );
}

interface LargestProps {
  readonly title: string;
  readonly items: readonly { readonly name: string; readonly length: number }[];
}

function Largest({ title, items }: LargestProps) {
  if (items.length === 0) return null;
  return (
    <Text size="xs" c="dimmed">
      {title}: {items.map(({ name, length }) => `${name} (${formatCount(length)})`).join(', ')}
    </Text>
  );
}
