import { notifications } from '@mantine/notifications';
import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useRef } from 'react';
import type { VideoId, VideoJob, VideoState } from '../../shared/video/video.ts';
import { useCalls } from '../api/client.ts';
import { shortPrompt } from '../format/video-state.ts';
import { useActiveVideos } from '../api/use-active-videos.ts';
import classes from './video-notices.module.css';

interface VideoNotice {
  readonly title: string;
  readonly color: string;
}

/** Notifications for the states that follow an active one; other states cause none. */
const VIDEO_NOTICES: Readonly<Partial<Record<VideoState, VideoNotice>>> = {
  done: { title: 'A video is finished', color: 'teal' },
  failed: { title: 'A video failed', color: 'red' },
  'timed-out': { title: 'A video timed out', color: 'orange' },
  unsure: { title: 'A video needs your decision', color: 'orange' },
  'needs-answer': { title: 'A video needs your decision', color: 'orange' },
};

/** Shows and announces a notification when an active video ends while the window is open. */
export function useVideoNotices(): void {
  const calls = useCalls();
  const { data, isPlaceholderData } = useActiveVideos();
  const known = useRef<ReadonlySet<VideoId>>(new Set());
  const notify = useNotify();
  useEffect(() => {
    if (data === undefined || isPlaceholderData) return;
    const now = new Set(data.jobs.map(({ id }) => id));
    const ended = [...known.current].filter((id) => !now.has(id));
    known.current = now;
    for (const id of ended) {
      calls.videos.get.call({ id }).then(
        ({ job }) => notify(job),
        // The job was removed, or the engine is gone, which has a notice of its own.
        () => undefined,
      );
    }
  }, [calls, data, isPlaceholderData, notify]);
}

function useNotify(): (job: VideoJob) => void {
  const navigate = useNavigate();
  return useCallback(
    (job) => {
      const news = VIDEO_NOTICES[job.state];
      if (news === undefined) return;
      const id = `video-${job.id}`;
      notifications.show({
        ...news,
        id,
        autoClose: 10_000,
        message: (
          <button
            type="button"
            className={classes['link']}
            onClick={() => {
              notifications.hide(id);
              void navigate({ to: '/videos', search: { video: job.id } });
            }}
          >
            <Text size="sm" lineClamp={2}>
              {shortPrompt(job)}
            </Text>
            Show it
          </button>
        ),
      });
    },
    [navigate],
  );
}
