import { Tooltip } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import type { Answer } from '../../../../shared/chat/chat.ts';
import { formatDuration } from '../../../../shared/format.ts';
import { useQuery } from '@tanstack/react-query';
import type { ExchangeId } from '../../../../shared/exchange/exchange.ts';
import { useCalls } from '../../../api/client.ts';
import { ShortCost } from '../../../components/cost.tsx';
import { ScreenLink } from '../../../components/screen-link.tsx';
import { UNKNOWN_USAGE } from '../../../../shared/exchange/usage.ts';
import { Tokens, describeUsageSource } from '../../../components/tokens.tsx';
import { useCurrency } from '../../../hooks/use-currency.ts';
import classes from './answer.module.css';

const rate = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const money = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });

/** Shows the facts of an answer in one line. */
export function AnswerFacts({ answer }: { readonly answer: Answer }) {
  return (
    <div className={classes['figures']} data-figures>
      {listFacts(answer).map(([name, part]) => (
        <Fragment key={name}>
          <span>{part}</span>
        </Fragment>
      ))}
    </div>
  );
}

/** Lists the known facts by name. */
function listFacts(answer: Answer): readonly (readonly [string, ReactNode])[] {
  const { state, finish, modelServed, model, firstTokenMs, tokensPerSecond, usage } = answer;
  const { cost, exchangeId, plain } = answer;
  const ended = describeFinish(finish);
  const parts: (readonly [string, ReactNode] | null)[] = [
    state === 'stopped' ? ['stopped', 'Stopped by you'] : null,
    ended === null ? null : ['finish', <strong key="finish">{ended}</strong>],
    modelServed === null || modelServed === model ? null : ['model', `served by ${modelServed}`],
    plain ? ['plain', 'sent without extra settings'] : null,
    firstTokenMs === null
      ? null
      : ['first', <First key="first" ms={firstTokenMs} took={answer.durationMs} />],
    tokensPerSecond === null ? null : ['speed', `${rate.format(tokensPerSecond)} tokens/s`],
    usage === null || (state === 'refused' && usage.source === 'unknown')
      ? null
      : ['tokens', <Counts key="tokens" usage={usage} />],
    cost === null ? null : ['cost', <Cost key="cost" {...cost} />],
    exchangeId === null ? null : ['price', <OwnCost key="price" id={exchangeId} />],
    exchangeId === null
      ? null
      : [
          'history',
          <ScreenLink key="history" to="/history" search={{ exchange: exchangeId }} size="xs">
            In History
          </ScreenLink>,
        ],
  ];
  return parts.filter((part) => part !== null);
}

function First({ ms, took }: { readonly ms: number; readonly took: number | null }) {
  const totalTime = took === null ? '' : ` The complete answer took ${formatDuration(took)}.`;
  return (
    <Tooltip label={`Time from sending to the first part of the answer.${totalTime}`}>
      <span>first token {formatDuration(ms)}</span>
    </Tooltip>
  );
}

function Counts({ usage }: { readonly usage: NonNullable<Answer['usage']> }) {
  if (usage.source === 'unknown') {
    return (
      <Tooltip label={describeUsageSource(UNKNOWN_USAGE)}>
        <span>tokens unknown</span>
      </Tooltip>
    );
  }
  return (
    <>
      tokens <Tokens usage={usage} />
      {usage.source === 'reported' && ', reported'}
    </>
  );
}

/** The cost by the person's own prices; nothing where none is known. */
function OwnCost({ id }: { readonly id: ExchangeId }) {
  const { data } = useQuery(useCalls().history.cost.queryOptions({ input: { id }, gcTime: 0 }));
  const currency = useCurrency();
  if (data == null || data.cost.amount === null) return null;
  return <ShortCost cost={data.cost} service={data.service} currency={currency} />;
}

function Cost({ amount, field }: NonNullable<Answer['cost']>) {
  return (
    <Tooltip label={`Reported by the service in “${field}” of its answer, without a currency.`}>
      <span>cost {money.format(amount)}, reported</span>
    </Tooltip>
  );
}

const NORMAL = new Set([
  'stop',
  'end_turn',
  'stop_sequence',
  'completed',
  'eos',
  'tool_calls',
  'tool_use',
  'function_call',
]);

const AT_LIMIT = /length|max_?(output_?|completion_?)?tokens|token_?limit|^incomplete$/iu;

const FILTERED = /content_?filter|safety|refus|policy/iu;

/** Describes why an answer ended early; `null` when it is complete. */
export function describeFinish(finish: string | null): string | null {
  if (finish === null || NORMAL.has(finish.toLowerCase())) return null;
  if (AT_LIMIT.test(finish)) return 'Cut off at the token limit';
  if (FILTERED.test(finish)) return 'Blocked by a content filter';
  return `Ended with “${finish}”`;
}
