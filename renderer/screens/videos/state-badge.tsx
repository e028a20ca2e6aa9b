import { Loader, Tooltip } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCheck,
  IconClock,
  IconPencil,
  IconPlayerStop,
  IconX,
} from '@tabler/icons-react';
import type { VideoJob, VideoState } from '../../../shared/video/video.ts';
import badge from '../../components/badges/status-badge.module.css';
import { useIsPaused } from '../../hooks/use-pause-state.ts';
import { videoStateLabel } from '../../format/video-state.ts';

const ICONS = {
  draft: IconPencil,
  waiting: IconClock,
  unsure: IconAlertTriangle,
  'needs-answer': IconAlertTriangle,
  done: IconCheck,
  failed: IconX,
  'timed-out': IconPlayerStop,
  cancelled: IconPlayerStop,
  uploading: null,
  submitting: null,
  identifying: null,
  rendering: null,
  downloading: null,
} satisfies Readonly<Record<VideoState, unknown>>;

/** Shows a video's state: label, icon and colour; its meaning is in a tooltip. */
export function StateBadge({ job }: { readonly job: VideoJob }) {
  const { label, tone, about } = videoStateLabel(job, useIsPaused());
  const Icon = ICONS[job.state];
  return (
    <Tooltip label={about}>
      <span className={badge['badge']} data-tone={tone}>
        {Icon === null ? (
          <Loader size={11} aria-hidden />
        ) : (
          <Icon size={13} stroke={2.2} aria-hidden />
        )}
        <span className={badge['label']}>{label}</span>
      </span>
    </Tooltip>
  );
}
