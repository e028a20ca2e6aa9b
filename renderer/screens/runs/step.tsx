import { Badge, Group, Text, Tooltip } from '@mantine/core';
import {
  IconArrowBackUp,
  IconMessage2,
  IconTool,
  IconUser,
  type IconProps,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { describeStepFailure, findStepEnding } from '../../../shared/run/describe-run.ts';
import { formatDuration, pluralize } from '../../../shared/format.ts';
import type { CostedMiss, CostedRun, RunStep } from '../../../shared/run/run.ts';
import { ShortCost } from '../../components/cost.tsx';
import { Disclosure } from '../../components/detail/disclosure.tsx';
import { CacheNote, ContextView } from '../../components/runs/step-notes.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { formatShortCount } from '../../format/format.ts';
import { useCurrency } from '../../hooks/use-currency.ts';
import classes from './runs.module.css';

interface StepProps {
  readonly step: RunStep;
  /** `null` when the cache did not miss. */
  readonly miss: CostedMiss | null;
  readonly number: number;
  /** Time since the run began. */
  readonly offsetMs: number;
  /** Whether the run ended well, so that a failure on the way is no error. */
  readonly endedWell: boolean;
  /** What it cost; `null` when there is nothing to pay, or it is not known. */
  readonly cost: CostedRun['costs'][string] | null;
}

/** Shows one step: what was added to the request, what the model answered, and what it cost. */
export function Step(props: StepProps) {
  const { step, miss, number, offsetMs, endedWell, cost } = props;
  const currency = useCurrency();
  return (
    <>
      <Group gap="xs" className={classes['stepHead'] ?? ''}>
        <Text size="sm" fw={600}>
          {number}
        </Text>
        <Text size="xs" c="dimmed" data-figures>
          {number === 1 && offsetMs === 0 ? 'Start' : `+ ${formatDuration(offsetMs)}`} ·{' '}
          {step.model ?? 'unknown model'} · {formatDuration(step.durationMs)}
        </Text>
        <Text size="xs" c="dimmed" data-figures>
          {formatTokens(step)}
        </Text>
        <Text size="xs" c="dimmed" component="span">
          <ShortCost cost={cost} service={cost?.service ?? null} currency={currency} />
        </Text>
        {step.repeated && (
          <Tooltip label="Its messages are those of the step before.">
            <Badge size="xs" variant="light" color="gray" tabIndex={0}>
              sent again
            </Badge>
          </Tooltip>
        )}
        <ScreenLink
          size="xs"
          ml="auto"
          to="/history"
          search={{ exchange: step.id }}
          aria-label={`Open step ${number}`}
        >
          Open
        </ScreenLink>
      </Group>
      <Parts step={step} endedWell={endedWell} />
      <CacheNote step={step} miss={miss} />
      <Disclosure label="Parts of the request">
        <ContextView step={step} />
      </Disclosure>
    </>
  );
}

function Parts({ step, endedWell }: Pick<StepProps, 'step' | 'endedWell'>) {
  const { prompt, results, moreResults, answer, calls, moreCalls } = step;
  const failure = describeStepFailure(step);
  const isLeft = findStepEnding(step) === 'left';
  return (
    <ul className={classes['parts']}>
      {prompt !== null && (
        <Part icon={IconUser} label="User">
          {prompt}
        </Part>
      )}
      {results.map(({ name, isError, text, length }, place) => (
        <Part
          key={place}
          icon={IconArrowBackUp}
          label={`Result of ${name ?? 'a tool'}`}
          note={`${isError ? 'error, ' : ''}${pluralize(length, 'character')}`}
          isError={isError}
          isCode
        >
          {text}
        </Part>
      ))}
      {moreResults > 0 && <li>{pluralize(moreResults, 'more result')}</li>}
      {answer !== null && (
        <Part icon={IconMessage2} label="Answer">
          {answer}
        </Part>
      )}
      {calls.map(({ name, input }, place) => (
        <Part key={place} icon={IconTool} label={`Call of ${name}`} isCode>
          {input}
        </Part>
      ))}
      {moreCalls > 0 && <li>{pluralize(moreCalls, 'more call')}</li>}
      {failure !== null && (
        <li className={classes['failure']} data-overcome={endedWell || isLeft || undefined}>
          {isLeft ? 'The client left before the end.' : `Failed: ${failure}.`}
        </li>
      )}
    </ul>
  );
}

interface PartProps {
  readonly icon: ComponentType<IconProps>;
  readonly label: string;
  readonly note?: string;
  readonly isError?: boolean;
  readonly isCode?: boolean;
  readonly children: string;
}

function Part({ icon: Icon, label, note, isError = false, isCode = false, children }: PartProps) {
  return (
    <li className={classes['part']} data-error={isError || undefined}>
      <Icon size={15} aria-hidden />
      <div>
        <Text size="xs" c="dimmed" component="span">
          {label}
          {note !== undefined && ` (${note})`}
        </Text>
        <p data-code={isCode || undefined}>{children}</p>
      </div>
    </li>
  );
}

function formatTokens({ usage: { input, output, cacheRead } }: RunStep): string {
  const tokens = [formatSome(input, 'in'), formatSome(output, 'out')]
    .filter((text) => text !== '')
    .join(', ');
  if (input === null || cacheRead === null || input === 0) return tokens;
  return `${tokens}, ${Math.round((100 * cacheRead) / input)} % cached`;
}

function formatSome(count: number | null, direction: 'in' | 'out'): string {
  return count === null ? '' : `${formatShortCount(count)} ${direction}`;
}
