import { Anchor, Code, DataList, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { EndedBy, ExchangeId, ExchangeRecord } from '../../../../shared/exchange/exchange.ts';
import type { ExchangeDetail } from '../../../../shared/history/history.ts';
import { lacksLocalKey, reachedService } from '../../../../shared/exchange/outcome.ts';
import { describeSender } from '../../../../shared/exchange/sender.ts';
import { isEstimated, listUsageParts, type UsagePart } from '../../../../shared/exchange/usage.ts';
import { useServiceLabels } from '../../../hooks/use-service-labels.ts';
import { useCalls } from '../../../api/client.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { formatTimestamp } from '../../../format/format.ts';
import { toHistorySearch } from '../../../format/history-search.ts';
import { formatBytes, formatCount, pluralize } from '../../../../shared/format.ts';
import { ScreenLink } from '../../../components/screen-link.tsx';
import { describeUsageSource } from '../../../components/tokens.tsx';
import { FullCost } from '../../../components/cost.tsx';
import { Headers } from './headers.tsx';
import { DetailSection } from '../../../components/detail/detail-section.tsx';

const ENDED_BY: Readonly<Record<EndedBy, string>> = {
  client: 'the client, which disconnected',
  service: 'the service',
  gateway: 'Gatehouse',
};

/** Nobody answered where there was no connection, so it was not the service that ended it. */
function describeEndedBy(exchange: ExchangeRecord): string {
  const isUnreached = exchange.attempts > 0 && !reachedService(exchange);
  return isUnreached ? 'Gatehouse: nobody answered' : ENDED_BY[exchange.endedBy];
}

interface FactsProps {
  readonly detail: ExchangeDetail;
  readonly onConversation: (conversation: string) => void;
  /** Lists each status check of a video, found by the path of one. */
  readonly onChecks: (path: string) => void;
}

/** Shows the route, sizes, tokens and headers of an exchange. */
export function Facts({ detail: { exchange, headers }, ...links }: FactsProps) {
  return (
    <>
      <DetailSection title="Model">
        <Models exchange={exchange} />
      </DetailSection>
      <DetailSection title="Tokens">
        <UsageFacts exchange={exchange} />
      </DetailSection>
      <DetailSection title="Facts">
        <RequestFacts exchange={exchange} {...links} />
      </DetailSection>
      <DetailSection title="Headers">
        <Headers headers={headers} known={!lacksLocalKey(exchange)} />
      </DetailSection>
    </>
  );
}

function Models({ exchange }: { readonly exchange: ExchangeRecord }) {
  const { modelAsked, modelServed } = exchange;
  const isSent = reachedService(exchange);
  // Otherwise it is the model that would have been sent.
  const modelSent = isSent ? exchange.modelSent : null;
  if (modelAsked === null && modelSent === null && modelServed === null) {
    return (
      <Text size="sm" c="dimmed">
        {isSent
          ? 'This request names no model.'
          : 'Unknown: this request was not sent to the service.'}
      </Text>
    );
  }
  return (
    <FactList>
      <Fact label="Requested">{modelAsked !== null && <Value text={modelAsked} />}</Fact>
      <Fact label="Sent as">{modelSent !== null && <Value text={modelSent} />}</Fact>
      <Fact label="Answered by">{modelServed !== null && <Value text={modelServed} />}</Fact>
    </FactList>
  );
}

function UsageFacts({ exchange }: { readonly exchange: ExchangeRecord }) {
  const { input, output, media, source } = exchange.usage;
  const parts = listUsageParts(exchange.usage);
  const list = (of: UsagePart['of']) =>
    parts
      .filter((part) => part.of === of)
      .map((part) => (
        <Fact key={part.words} label={`· ${part.words}`}>
          {tokens(part.tokens)}
        </Fact>
      ));
  return (
    <>
      {source !== 'unknown' && (
        <FactList>
          <Fact label="Input">
            {tokens(input)}
            {isEstimated(exchange.usage, 'input') && ' (estimated)'}
          </Fact>
          {list('input')}
          <Fact label="Output">
            {tokens(output)}
            {isEstimated(exchange.usage, 'output') && ' (estimated)'}
          </Fact>
          {list('output')}
          {media?.images != null && <Fact label="Images sent">{formatCount(media.images)}</Fact>}
        </FactList>
      )}
      <Text size="xs" c="dimmed" mt={4}>
        {describeUsageSource(exchange.usage, reachedService(exchange))}
      </Text>
      {exchange.cost !== null && (
        <FactList>
          <Fact label="Cost">
            <FullCost
              cost={exchange.cost}
              service={exchange.service}
              model={exchange.modelSent ?? exchange.modelAsked}
            />
          </Fact>
        </FactList>
      )}
    </>
  );
}

function tokens(count: number | null): ReactNode {
  return count === null ? null : <span data-figures>{pluralize(count, 'token')}</span>;
}

interface RequestFactsProps extends Omit<FactsProps, 'detail'> {
  readonly exchange: ExchangeRecord;
}

function RequestFacts({ exchange, onConversation, onChecks }: RequestFactsProps) {
  const { service, method, pathReceived, pathSent, userAgent } = exchange;
  const { findName } = useServiceLabels();
  return (
    <FactList>
      <Fact label="Requested">
        {pathReceived === '' ? 'several paths' : <Value text={`${method} ${pathReceived}`} />}
        {exchange.route === 'video-status' && (
          <>
            {' '}
            <Anchor component="button" size="sm" onClick={() => onChecks(pathReceived)}>
              Show each check of this video
            </Anchor>
          </>
        )}
      </Fact>
      {isOfVideo(exchange) && <VideoFact id={exchange.id} />}
      {exchange.times > 1 && <Fact label="Count">{formatTimes(exchange)}</Fact>}
      <Fact label="Sent to">
        {pathSent === null || !reachedService(exchange) ? (
          'nowhere'
        ) : (
          <Value text={`${method} ${pathSent}`} />
        )}
      </Fact>
      <Fact label="Service">{service !== null && findName(service)}</Fact>
      <Fact label="Client">{exchange.clientName ?? 'none: no valid local key'}</Fact>
      <Fact label="Program">{userAgent !== null && <Value text={userAgent} />}</Fact>
      <SenderFacts exchange={exchange} onConversation={onConversation} />
      <Fact label="Streamed">{exchange.streamed ? 'yes' : 'no'}</Fact>
      <Fact label="Ended by">{describeEndedBy(exchange)}</Fact>
      <Fact label="Attempts">{formatCount(exchange.attempts)}</Fact>
      <Fact label="Size">
        <span data-figures>{formatSize(exchange)}</span>
      </Fact>
      <Fact label="Id">
        <Group gap={4} wrap="nowrap">
          <Value text={exchange.id} />
          <CopyButton value={exchange.id} what="the id" />
        </Group>
      </Fact>
    </FactList>
  );
}

/** Shows the session, the run and the agent of an exchange, as far as the client names them. */
function SenderFacts({ exchange, onConversation }: Omit<RequestFactsProps, 'onChecks'>) {
  const { conversation, run, sender } = exchange;
  return (
    <>
      <Fact label="Conversation">
        {conversation !== null && (
          <>
            <Value text={conversation} />{' '}
            <Anchor component="button" size="sm" onClick={() => onConversation(conversation)}>
              Show the whole conversation
            </Anchor>
          </>
        )}
      </Fact>
      <Fact label="Run">
        {run !== null && (
          <ScreenLink size="sm" to="/history" search={toHistorySearch({ run })}>
            Show all requests of this run
          </ScreenLink>
        )}
        {run !== null && conversation === null && ' (recognised by its messages)'}
      </Fact>
      {sender !== null &&
        describeSender(sender).map(([label, text]) => (
          <Fact key={label} label={label}>
            <Value text={text} />
          </Fact>
        ))}
    </>
  );
}

function isOfVideo({ route }: ExchangeRecord): boolean {
  return route === 'video-submit' || route === 'video-status' || route === 'video-content';
}

/** Leads to the video that the exchange ordered, checked or downloaded; nothing while it is unknown which. */
function VideoFact({ id }: { readonly id: ExchangeId }) {
  const { data: video } = useQuery(useCalls().videos.ofExchange.queryOptions({ input: { id } }));
  if (typeof video !== 'string') return null;
  return (
    <Fact label="Video">
      <ScreenLink size="sm" underline="always" to="/videos" search={{ video }}>
        Show this video
      </ScreenLink>
    </Fact>
  );
}

function formatTimes({ times, startedAt, lastAt }: ExchangeRecord): string {
  return `${formatCount(times)} times, from ${formatTimestamp(startedAt)} to ${formatTimestamp(lastAt)}`;
}

function formatSize({ bytesIn, bytesOut, attempts, times }: ExchangeRecord): string {
  const read = bytesIn === 0 && attempts === 0 ? 'no body read' : `${formatBytes(bytesIn)} in`;
  return `${read}, ${formatBytes(bytesOut)} out${times > 1 ? ' each time' : ''}`;
}

function FactList({ children }: { readonly children: ReactNode }) {
  return (
    <DataList size="sm" gap={6} labelWidth="124px">
      {children}
    </DataList>
  );
}

interface FactProps {
  readonly label: string;
  /** Absent when unknown; the row is then left out. */
  readonly children: ReactNode;
}

function Fact({ label, children }: FactProps) {
  const unknown = children === null || children === false;
  return (
    <DataList.Item>
      <DataList.ItemLabel>{label}</DataList.ItemLabel>
      <DataList.ItemValue>{unknown ? '–' : children}</DataList.ItemValue>
    </DataList.Item>
  );
}

function Value({ text }: { readonly text: string }) {
  return <Code>{text}</Code>;
}
