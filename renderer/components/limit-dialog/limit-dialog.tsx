import { Button, Group, Modal, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import type { ClientId } from '../../../shared/client.ts';
import {
  isAtOnce,
  LimitMeasure,
  LimitPeriod,
  type LimitState,
  type TimePeriod,
} from '../../../shared/money/limit.ts';
import {
  describeLimitPeriod,
  describeRun,
  formatLimitAmount,
} from '../../../shared/money/describe-limit.ts';
import { formatDecimal, parseDecimal } from '../../../shared/money/decimal.ts';
import { roundMoneyUp } from '../../../shared/money/format-money.ts';
import { useCalls } from '../../api/client.ts';
import { toastError } from '../../hooks/toast.ts';
import { useIsFree } from '../../hooks/use-is-free.ts';
import { UnpricedNote } from './unpriced-note.tsx';
import { UsedNote } from './used-note.tsx';

export interface LimitDialogProps {
  readonly clientId: ClientId | null;
  readonly name: string;
  readonly currency: string;
  /** The limit to change; absent for a new one. */
  readonly before?: LimitState;
  /** Whether the amount at first is one that lets pass what the limit refused last. */
  readonly isRaised?: boolean;
  /** The limits that the client has, for a new one. */
  readonly others?: readonly LimitState[];
  readonly onClose: () => void;
}

const MEASURES = {
  money: 'Money',
  tokens: 'Tokens',
  requests: 'Requests',
  concurrent: 'Requests at once',
  agents: 'Sub-agents at once',
} as const;

const PERIODS = {
  minute: 'Minute',
  hour: 'Hour',
  day: 'Day',
  week: 'Week',
  month: 'Month',
  run: 'Run of an agent',
} as const;

const NOTES: Readonly<Record<LimitMeasure, string>> = {
  money: 'Input, output and videos at their prices.',
  tokens: 'Input and output together, those from the cache included.',
  requests: 'Requests for answers and videos. Lists and status checks do not count.',
  concurrent: 'Requests that are in progress at the same time.',
  agents:
    'Sub-agents of one run that are at work at the same time: with a request in the last minute.',
};

const RUN_NOTE =
  'A run is one task of an agent, with its sub-agents. Of a program that names no sessions, all requests are one run until it rests for half an hour.';

const ROLLING: Readonly<Record<TimePeriod, string>> = {
  minute: 'Count the last 60 seconds instead of the calendar minute',
  hour: 'Count the last 60 minutes instead of the calendar hour',
  day: 'Count the last 24 hours instead of the calendar day',
  week: 'Count the last 7 days instead of the calendar week',
  month: 'Count the last 31 days instead of the calendar month',
};

/** What is typed and chosen. */
interface Fields {
  readonly measure: LimitMeasure;
  readonly period: LimitPeriod;
  readonly amount: string;
  readonly rolling: boolean;
}

const FIRST_FIELDS: Fields = { measure: 'money', period: 'day', amount: '', rolling: false };

/** Sets a limit of a client, or of all clients. One of the same kind is replaced. */
export function LimitDialog(props: LimitDialogProps) {
  const { clientId, name, currency, before, isRaised = false, others = [], onClose } = props;
  const calls = useCalls();
  const queries = useQueryClient();
  const [fields, setFields] = useState<Fields>(
    before === undefined ? proposeFields(others) : toFields(before, isRaised),
  );
  const { measure, period, rolling } = fields;
  const replaced = others.find((one) => isSameKind(one, fields));
  const save = useMutation(
    calls.clients.limits.set.mutationOptions({
      onSuccess: () => {
        onClose();
        return Promise.all([
          queries.invalidateQueries({ queryKey: calls.clients.key() }),
          queries.invalidateQueries({ queryKey: calls.home.key() }),
        ]);
      },
      onError: (error) => toastError(`Could not set the limit of “${name}”.`, error),
    }),
  );
  const units = toUnits(fields);
  const kind = { clientId, measure, period, rolling };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (units !== null) save.mutate({ ...kind, amount: units });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Limit of ${name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={submit}>
        <Stack gap="sm">
          <LimitFields
            fields={fields}
            currency={currency}
            used={<UsedNote kind={kind} currency={currency} amount={units} />}
            isKindFixed={before !== undefined}
            onChange={setFields}
          />
          {measure === 'money' && <UnpricedNote />}
          {before !== undefined && <Amounts limit={before} currency={currency} />}
          {replaced !== undefined && <Replaced limit={replaced} currency={currency} />}
          <Notes measure={measure} period={period} isNew={before === undefined} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending} disabled={units === null}>
              Set the limit
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface AmountsProps {
  readonly limit: LimitState;
  readonly currency: string;
}

/** Says which run has used most of a limit, and what the request needed that it refused last, so that an amount can be chosen. */
function Amounts({ limit, currency }: AmountsProps) {
  const { measure, period, used, refusedAt, refusedNeed } = limit;
  const format = (value: number) => formatLimitAmount(value, measure, currency);
  const isOfRun = period === 'run' && !isAtOnce(measure) && used > 0;
  const enough = findEnough(limit);
  if (!isOfRun && refusedAt === null) return null;
  return (
    <Text size="sm" data-figures>
      {isOfRun && `Most is used by ${describeRun(limit)}.`}
      {enough !== null &&
        refusedNeed !== null &&
        ` The request that it refused last needs about ${format(refusedNeed)}: it passes from ${format(enough)} on.`}
      {refusedAt !== null &&
        refusedNeed === null &&
        ' What the request costs that it refused last is not known, so no amount lets it pass: there is no price, or a video has no length.'}
    </Text>
  );
}

/** Returns the least amount with which the request passes that a limit refused last; `null` when none was refused. */
function findEnough({ measure, used, refusedNeed }: LimitState): number | null {
  if (refusedNeed === null || refusedNeed === 0 || isAtOnce(measure)) return null;
  const total = used + refusedNeed;
  return measure === 'money' ? roundMoneyUp(total) : total;
}

/** Says which limit a new one replaces. */
function Replaced({ limit, currency }: AmountsProps) {
  const amount = formatLimitAmount(limit.amount, limit.measure, currency);
  return (
    <Text size="xs">
      It replaces the limit of {amount} {describeLimitPeriod(limit)}.
    </Text>
  );
}

interface NotesProps {
  readonly measure: LimitMeasure;
  readonly period: LimitPeriod;
  readonly isNew: boolean;
}

/** Says what counts, and from when. */
function Notes({ measure, period, isNew }: NotesProps) {
  const isFree = useIsFree();
  return (
    <>
      <Text size="xs" c="dimmed">
        {NOTES[measure]} It holds from the next request on.
      </Text>
      {period === 'run' && (
        <Text size="xs" c="dimmed">
          {RUN_NOTE}
          {isNew && !isAtOnce(measure) && ' What a run used before you set the limit counts, too.'}
        </Text>
      )}
      {isFree && measure === 'money' && (
        <Text size="xs" c="dimmed">
          The sandbox counts made-up prices, so that you can try the limit. Nobody pays for its
          requests.
        </Text>
      )}
    </>
  );
}

interface LimitFieldsProps {
  readonly fields: Fields;
  readonly currency: string;
  /** What is used now. */
  readonly used: React.ReactNode;
  /** Whether only the amount can be changed. */
  readonly isKindFixed: boolean;
  readonly onChange: (fields: Fields) => void;
}

function LimitFields({ fields, currency, used, isKindFixed, onChange }: LimitFieldsProps) {
  const { measure, period, amount, rolling } = fields;
  const change = (some: Partial<Fields>) => onChange({ ...fields, ...some });
  return (
    <>
      <Select
        label="Limit"
        allowDeselect={false}
        disabled={isKindFixed}
        value={measure}
        data={LimitMeasure.options.map((value) => ({ value, label: MEASURES[value] }))}
        onChange={(value) => change(toKind(LimitMeasure.catch('money').parse(value)))}
      />
      <TextInput
        label={measure === 'money' ? `At most, in ${currency}` : 'At most'}
        description={used}
        data-autofocus
        inputMode={measure === 'money' ? 'decimal' : 'numeric'}
        value={amount}
        error={findMistake(fields)}
        onChange={({ currentTarget }) => change({ amount: currentTarget.value })}
      />
      {measure === 'concurrent' && (
        <Switch
          label="Count each run of an agent by itself"
          disabled={isKindFixed}
          checked={period === 'run'}
          onChange={({ currentTarget }) =>
            change({ period: currentTarget.checked ? 'run' : FIRST_FIELDS.period })
          }
        />
      )}
      {!isAtOnce(measure) && (
        <>
          <Select
            label="Per"
            allowDeselect={false}
            disabled={isKindFixed}
            value={period}
            data={LimitPeriod.options.map((value) => ({ value, label: PERIODS[value] }))}
            onChange={(value) =>
              change({ period: LimitPeriod.catch('day').parse(value), rolling: false })
            }
          />
          {period !== 'run' && (
            <Switch
              label={ROLLING[period]}
              disabled={isKindFixed}
              checked={rolling}
              onChange={({ currentTarget }) => change({ rolling: currentTarget.checked })}
            />
          )}
        </>
      )}
    </>
  );
}

/** Returns a measure with the first choice of its period. */
function toKind(measure: LimitMeasure): Pick<Fields, 'measure' | 'period' | 'rolling'> {
  return { measure, period: measure === 'agents' ? 'run' : FIRST_FIELDS.period, rolling: false };
}

const USUAL_PERIODS: readonly LimitPeriod[] = ['day', 'month', 'week', 'hour', 'minute', 'run'];

/** Proposes a limit like the first of those that there are, over a period for which there is none. */
function proposeFields(others: readonly LimitState[]): Fields {
  const like = others.find((limit) => !isAtOnce(limit.measure));
  if (like === undefined) return FIRST_FIELDS;
  const fields = { ...FIRST_FIELDS, measure: like.measure };
  const period = USUAL_PERIODS.find(
    (one) => !others.some((limit) => isSameKind(limit, { ...fields, period: one })),
  );
  return { ...fields, period: period ?? fields.period };
}

function isSameKind(
  limit: LimitState,
  { measure, period, rolling }: Pick<Fields, 'measure' | 'period' | 'rolling'>,
): boolean {
  return limit.measure === measure && limit.period === period && limit.rolling === rolling;
}

function toFields(limit: LimitState, isRaised: boolean): Fields {
  const { measure, period, rolling } = limit;
  const enough = isRaised ? findEnough(limit) : null;
  const amount = Math.max(limit.amount, enough ?? 0);
  const text = measure === 'money' ? formatDecimal(amount) : String(amount);
  return { measure, period, rolling, amount: text };
}

/** Says what may be typed where it is no amount; a comma means thousands to some and a fraction to others. */
function findMistake(fields: Fields): string | null {
  if (fields.amount.trim() === '' || toUnits(fields) !== null) return null;
  return fields.measure === 'money'
    ? 'An amount such as 3, 0.25 or 1500, without a comma.'
    : 'A whole number such as 1500, without a comma.';
}

/** Converts what was typed to the unit of a limit; `null` when it is no amount above zero. */
function toUnits({ amount, measure }: Fields): number | null {
  if (measure !== 'money' && !/^\s*\d+\s*$/u.test(amount)) return null;
  // Many type the symbol of the currency.
  const units = parseDecimal(amount.replace(/^\s*\p{Sc}/u, ''), measure === 'money' ? 6 : 0);
  return units !== null && units > 0 && units <= 1e15 ? units : null;
}
