import { Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { isFree } from '../../../shared/money/charge.ts';
import type { UpstreamId } from '../../../shared/upstream.ts';
import type { VideoJob } from '../../../shared/video/video.ts';
import { useCalls } from '../../api/client.ts';
import { useCurrentModelList } from '../../api/use-model-list.ts';
import { findPrices } from '../../../shared/model-metadata/model-fields.ts';
import { useVideoEstimate } from '../../hooks/use-video-estimate.ts';
import { type OrderFacts, toOrderFacts } from '../../../shared/video/order-facts.ts';
import { describeCost, describeTask } from './describe-order.ts';
import detail from './detail/detail.module.css';
import { Fact } from './detail/facts.tsx';

/** Number of finished videos among which an equal order is looked for. */
const EARLIER_VIDEOS = 50;

interface OrderSummaryProps {
  readonly request: VideoJob['request'];
  /** The service that gets the order. */
  readonly service: UpstreamId;
}

/** Lists what an order asks for and what one costs, before a person confirms it. */
export function OrderSummary({ request, service }: OrderSummaryProps) {
  const order = toOrderFacts(request);
  const cost = useCost(order, service);
  return (
    <dl className={detail['facts']} data-apart>
      <Fact label="Model">{order.model}</Fact>
      <Fact label="Task">{describeTask(order.task)}</Fact>
      <Fact label="Length">{order.seconds === null ? null : `${order.seconds} s`}</Fact>
      <Fact label="Resolution">{order.resolution}</Fact>
      <Fact label="More fields">{order.more === null ? null : <Code>{order.more}</Code>}</Fact>
      <Fact label="Cost per video">{cost}</Fact>
    </dl>
  );
}

function useCost(order: OrderFacts, service: UpstreamId): string {
  const calls = useCalls();
  const free = isFree(service);
  const { data: status } = useQuery(calls.status.get.queryOptions());
  const { data: done } = useQuery(
    calls.videos.page.queryOptions({
      input: { filter: { states: ['done'] }, limit: EARLIER_VIDEOS },
      enabled: !free,
    }),
  );
  // The list is that of the service in use; a draft may belong to another one.
  const isInUse = status?.upstream.id === service;
  const list = useCurrentModelList(!free && isInUse);
  const model = list?.models.find(({ model: { id } }) => id === order.model)?.model;
  const estimate = useVideoEstimate(order, free ? 'sandbox' : isInUse ? 'service' : null);
  return describeCost(order, {
    isFree: free,
    estimate,
    earlier: done?.jobs.filter((job) => job.service.id === service) ?? [],
    prices: model === undefined ? [] : findPrices(model),
  });
}
