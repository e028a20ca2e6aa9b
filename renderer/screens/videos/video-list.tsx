import { VisuallyHidden } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useRef } from 'react';
import type { VideoId } from '../../../shared/video/video.ts';
import { useListKeys } from '../../hooks/keyboard/use-list-keys.ts';
import type { Pages } from './pages.ts';
import { useReorder } from './use-reorder.ts';
import { VideoCard } from './video-card.tsx';
import classes from './videos.module.css';

const CARD_PX = 96;
const OVERSCAN = 6;
/** Number of remaining jobs below which more are fetched. */
const AHEAD = 30;

interface VideoListProps {
  readonly pages: Pages;
  /** Called with the indexes of the visible jobs. */
  readonly seen: RefObject<readonly [number, number]>;
  /** Changes when the list is replaced by another one. */
  readonly listKey: unknown;
  readonly opened: VideoId | undefined;
  readonly onOpen: (id: VideoId) => void;
}

/** Lists the jobs: the queue in its order, then the others, newest first. Only visible ones are in the document. */
export function VideoList({ pages, seen, listKey, opened, onOpen }: VideoListProps) {
  const { jobs, hasMore, loadMore } = pages;
  const body = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: jobs.length,
    getScrollElement: () => body.current,
    estimateSize: () => CARD_PX,
    getItemKey: (at) => jobs[at]?.id ?? at,
    overscan: OVERSCAN,
  });
  const { startIndex = 0, endIndex = 0 } = virtual.range ?? {};
  useEffect(() => {
    seen.current = [startIndex, endIndex];
    if (hasMore && endIndex > jobs.length - AHEAD) loadMore();
  });
  useEffect(() => {
    body.current?.scrollTo({ top: 0 });
  }, [listKey]);
  const { list, onKeyDown, rowProps } = useListKeys<HTMLDivElement>({
    count: jobs.length,
    scrollTo: (row) => virtual.scrollToIndex(row),
  });
  const order = useReorder(jobs);
  return (
    <div ref={body} className={classes['list']} data-scroll>
      <VisuallyHidden role="status">{order.announcement}</VisuallyHidden>
      <div
        ref={list}
        role="list"
        aria-label="Videos"
        onKeyDown={onKeyDown}
        style={{ height: virtual.getTotalSize(), position: 'relative' }}
      >
        {virtual.getVirtualItems().map(({ key, index, start }) => {
          const job = jobs[index];
          if (job === undefined) return null;
          return (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              role="listitem"
              aria-setsize={hasMore ? -1 : jobs.length}
              aria-posinset={index + 1}
              className={classes['place']}
              style={{ transform: `translateY(${start}px)` }}
            >
              <VideoCard
                job={job}
                chosen={job.id === opened}
                open={{ ...rowProps(index), onClick: () => onOpen(job.id) }}
                place={order.findPosition(job)}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}
