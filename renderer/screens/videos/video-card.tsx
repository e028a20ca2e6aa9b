import { ActionIcon, Progress, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconGripVertical } from '@tabler/icons-react';
import type { KeyboardEvent } from 'react';
import type { VideoJob } from '../../../shared/video/video.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useClipped } from '../../hooks/use-clipped.ts';
import { shortPrompt } from '../../format/video-state.ts';
import { LiveStatus } from './live-status.tsx';
import { StateBadge } from './state-badge.tsx';
import { Thumbnail } from './thumbnail.tsx';
import type { CardPosition } from './use-reorder.ts';
import classes from './video-card.module.css';
import { describeSentCharge } from './describe-video.ts';
import { useCurrency } from '../../hooks/use-currency.ts';

/** Maximum length of a prompt in a tooltip; the details show all of it. */
const MAX_TOOLTIP = 800;

interface VideoCardProps {
  readonly job: VideoJob;
  readonly chosen: boolean;
  /** Props for the button of the card. */
  readonly open: object;
  /** Reordering of a job in the queue. */
  readonly place: CardPosition | null;
}

/** The card of one video: thumbnail, state and facts. */
export function VideoCard({ job, chosen, open, place }: VideoCardProps) {
  const charge = describeSentCharge(job, useCurrency());
  const prompt = shortPrompt(job);
  const { clipped, measuring } = useClipped();
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowUp: place?.up, ArrowDown: place?.down }[event.key];
    if (!event.altKey || !step) return;
    event.preventDefault();
    event.stopPropagation();
    step();
  };
  return (
    <div
      className={classes['card']}
      data-chosen={chosen || undefined}
      data-dragged={place?.dragged || undefined}
      data-landing={place?.landing ?? undefined}
      onKeyDown={onKeyDown}
      {...place?.drag}
    >
      <div>
        <Thumbnail job={job} />
      </div>
      <div className={classes['body']}>
        <Tooltip
          label={prompt.slice(0, MAX_TOOLTIP)}
          openDelay={700}
          position="bottom-start"
          disabled={!clipped}
        >
          <UnstyledButton
            className={classes['open'] ?? ''}
            aria-current={chosen || undefined}
            aria-keyshortcuts={place === null ? undefined : 'Alt+ArrowUp Alt+ArrowDown'}
            {...measuring}
            {...open}
          >
            {prompt}
          </UnstyledButton>
        </Tooltip>
        <Text size="xs" c="dimmed" className={classes['details'] ?? ''}>
          <About job={job} />
        </Text>
        <CardMessage job={job} />
      </div>
      <div className={classes['state']}>
        <StateBadge job={job} />
        {charge !== null && (
          <Text span size="xs" c="dimmed" data-figures>
            {charge}
          </Text>
        )}
        {place !== null && <Steps place={place} prompt={prompt} />}
      </div>
    </div>
  );
}

function About({
  job: { request, clientName, origin, service, createdAt },
}: {
  readonly job: VideoJob;
}) {
  const { model, seconds, resolution } = request;
  const createdBy = clientName ?? (origin === 'command' ? 'the command line' : null);
  const parts = [
    model,
    seconds === null ? null : `${seconds} s`,
    resolution,
    createdBy === null ? null : `from ${createdBy}`,
    service.gone ? `${service.name}, which is no longer configured` : null,
  ].filter((part) => part !== null);
  return (
    <>
      {parts.map((part) => `${part} · `).join('')}
      <RelativeTime at={createdAt} />
    </>
  );
}

/** The most important fact at the moment. */
function CardMessage({ job }: { readonly job: VideoJob }) {
  const { state, problem, reason, progress } = job;
  const detail = state === 'failed' ? reason : problem;
  const shown = (state === 'rendering' || state === 'downloading') && progress !== null;
  return (
    <>
      <LiveStatus job={job} />
      {shown && (
        <Progress
          value={progress * 100}
          size={4}
          mt={4}
          maw={360}
          aria-label={state === 'rendering' ? 'Rendered' : 'Downloaded'}
        />
      )}
      {detail !== null && <Problem text={detail} bad={state === 'failed'} />}
    </>
  );
}

function Problem({ text, bad }: { readonly text: string; readonly bad: boolean }) {
  const { clipped, measuring } = useClipped();
  return (
    <Tooltip label={text} disabled={!clipped}>
      <Text
        size="xs"
        className={classes['problem'] ?? ''}
        data-bad={bad || undefined}
        {...measuring}
      >
        {text}
      </Text>
    </Tooltip>
  );
}

function Steps({ place, prompt }: { readonly place: CardPosition; readonly prompt: string }) {
  const name = prompt.slice(0, 40);
  return (
    <span className={classes['steps']}>
      <Step label={`Earlier: ${name}`} onClick={place.up} icon={IconChevronUp} />
      <Step label={`Later: ${name}`} onClick={place.down} icon={IconChevronDown} />
      <Tooltip label="Drag to change the order, or press Alt and an arrow">
        <IconGripVertical size={16} stroke={1.6} aria-hidden className={classes['handle']} />
      </Tooltip>
    </span>
  );
}

interface StepProps {
  readonly label: string;
  readonly onClick: (() => void) | null;
  readonly icon: typeof IconChevronUp;
}

function Step({ label, onClick, icon: Icon }: StepProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      className={classes['step'] ?? ''}
      aria-label={label}
      disabled={onClick === null}
      onClick={() => onClick?.()}
    >
      <Icon size={15} />
    </ActionIcon>
  );
}
