import { Code } from '@mantine/core';
import type { ReactNode } from 'react';
import { isFree } from '../../../../shared/money/charge.ts';
import { useCurrency } from '../../../hooks/use-currency.ts';
import { formatMoney } from '../../../../shared/money/format-money.ts';
import type { VideoJob } from '../../../../shared/video/video.ts';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { formatTimestamp } from '../../../format/format.ts';
import { formatBytes, formatCount } from '../../../../shared/format.ts';
import { DetailSection } from '../../../components/detail/detail-section.tsx';
import { describeTask } from '../describe-order.ts';
import classes from './detail.module.css';

const ORIGINS = { window: 'this window', command: 'the command line', client: 'a client' };

/** Shows the request of a video, its times, its service and its ids. */
export function Facts({ job }: { readonly job: VideoJob }) {
  const { request, taskId, file, image, service } = job;
  const more = Object.keys(request.more).length > 0 ? JSON.stringify(request.more) : null;
  return (
    <DetailSection title="Facts">
      <dl className={classes['facts']}>
        <Fact label="Model">{request.model}</Fact>
        <Fact label="Task">{describeTask(request.task)}</Fact>
        <Fact label="Length">{request.seconds === null ? null : `${request.seconds} s`}</Fact>
        <Fact label="Resolution">{request.resolution}</Fact>
        <Fact label="More fields">{more === null ? null : <Code>{more}</Code>}</Fact>
        <Fact label="Image">
          {image === null ? null : `${image.name}, ${formatBytes(image.bytes)}`}
        </Fact>
        <Fact label="Service">
          {service.gone ? `${service.name}, no longer configured` : service.name}
        </Fact>
        <Fact label="Requested by">{job.clientName ?? ORIGINS[job.origin]}</Fact>
        <Times job={job} />
        <Fact label="Status word">{job.word}</Fact>
        <Fact label="Task id">
          {taskId === null ? null : (
            <>
              <Code>{taskId}</Code> <CopyButton value={taskId} what="the task id" />
            </>
          )}
        </Fact>
        <Fact label="Cost">{describeCost(job, useCurrency())}</Fact>
        {file !== null && (
          <>
            <Fact label="File">
              <Code>{file.path}</Code> <CopyButton value={file.path} what="the path" />
            </Fact>
            <Fact label="Size">{`${formatBytes(file.bytes)} (${formatCount(file.bytes)} bytes), ${file.type}`}</Fact>
            <Fact label="SHA-256">
              <Code>{file.sha256}</Code>
            </Fact>
          </>
        )}
      </dl>
    </DetailSection>
  );
}

/** Returns what a video costs, and how that is known; `null` when that is not known, or it was not charged. What the service reports counts first. */
function describeCost(
  { cost, computedCost, charged, service }: VideoJob,
  currency: string,
): string | null {
  if (cost !== null) return `${cost}, as reported by the service`;
  const amount = computedCost?.amount ?? null;
  if (amount === null || isFree(service.id)) return null;
  return `${formatMoney(amount, currency)}, by your prices${charged === 'maybe' ? ', if it was charged' : ''}`;
}

function Times({
  job: { createdAt, submittedAt, askedAt, asksUntil, state },
}: {
  readonly job: VideoJob;
}) {
  return (
    <>
      <Fact label="Created">
        <RelativeTime at={createdAt} />
      </Fact>
      <Fact label="Ordered">{submittedAt === null ? null : <RelativeTime at={submittedAt} />}</Fact>
      <Fact label="Last checked">{askedAt === null ? null : <RelativeTime at={askedAt} />}</Fact>
      <Fact label="Checks until">
        {asksUntil === null || state !== 'rendering' ? null : formatTimestamp(asksUntil)}
      </Fact>
    </>
  );
}

/** A fact with its label; nothing when it is `null`. */
export function Fact({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}) {
  if (children === null) return null;
  return (
    <>
      <dt>{label}</dt>
      <dd data-figures>{children}</dd>
    </>
  );
}
