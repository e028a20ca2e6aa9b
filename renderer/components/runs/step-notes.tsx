import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { describeChange, findCacheMiss } from '../../../shared/run/describe-run.ts';
import { formatCount, pluralize } from '../../../shared/format.ts';
import type { RunStep, StepPlace } from '../../../shared/run/run.ts';
import { useCalls } from '../../api/client.ts';
import { findContextWindow } from '../../../shared/model-metadata/model-facts.ts';
import { ShareBar } from '../share-bar.tsx';
import classes from './step-notes.module.css';

interface CacheNoteProps {
  readonly step: RunStep;
  /** The step before it; `null` for the first. */
  readonly before: StepPlace['before'];
}

/** Says where a request differs from the one before, and what that cost; nothing when it only adds to it. */
export function CacheNote({ step, before }: CacheNoteProps) {
  const miss = findCacheMiss(step, before);
  const { change } = step;
  if (miss === null && change === null) return null;
  return (
    <Alert
      variant="light"
      color={miss === null ? 'gray' : 'yellow'}
      p="xs"
      title={
        miss === null
          ? 'An earlier part of the request changed'
          : `The cache missed: ${pluralize(miss.lost, 'token')} read again`
      }
    >
      <Text size="sm">
        {toSentence(miss?.cause ?? (change === null ? '' : describeChange(change)))}
        {miss === null && ' Services cache requests only up to the first difference.'}
      </Text>
      {change !== null && (
        <dl className={classes['change']}>
          <dt>Before</dt>
          <dd>{change.before === '' ? '(nothing)' : change.before}</dd>
          <dt>Now</dt>
          <dd>{change.now === '' ? '(nothing)' : change.now}</dd>
        </dl>
      )}
    </Alert>
  );
}

function toSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** The part of a model's context from which a warning is shown. */
const NEARLY_FULL = 0.8;

/** Shows the parts that fill a request, the largest tools and results, and how much of the model's context it takes. */
export function ContextView({ step: { context, usage, model } }: { readonly step: RunStep }) {
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
