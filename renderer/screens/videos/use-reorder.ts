import { useMutation } from '@tanstack/react-query';
import { type DragEvent, useState } from 'react';
import type { VideoId, VideoJob } from '../../../shared/video/video.ts';
import { useCalls } from '../../api/client.ts';
import { toastError } from '../../hooks/toast.ts';

/** The position of a job in the queue, and functions that move it. */
export interface CardPosition {
  /** `null` at the end of the queue in that direction. */
  readonly up: (() => void) | null;
  readonly down: (() => void) | null;
  readonly dragged: boolean;
  /** The side on which the dragged job would be dropped. */
  readonly landing: 'before' | 'after' | null;
  /** Props for the element that is dragged and dropped on. */
  readonly drag: {
    readonly draggable: true;
    readonly onDragStart: (event: DragEvent) => void;
    readonly onDragOver: (event: DragEvent<HTMLElement>) => void;
    readonly onDrop: (event: DragEvent) => void;
    readonly onDragEnd: () => void;
  };
}

interface Reordering {
  readonly findPosition: (job: VideoJob) => CardPosition | null;
  /** Announcement of the last move for screen readers. */
  readonly announcement: string;
}

interface DropTarget {
  readonly on: VideoId;
  readonly side: 'before' | 'after';
}

/** Reorders the queue by dragging or by single steps. */
export function useReorder(jobs: readonly VideoJob[]): Reordering {
  const waiting = jobs.filter(({ state }) => state === 'waiting').map(({ id }) => id);
  const [dragged, setDragged] = useState<VideoId | null>(null);
  const [landing, setLanding] = useState<DropTarget | null>(null);
  const { move, announcement } = useMove(waiting);
  const end = () => {
    setDragged(null);
    setLanding(null);
  };
  const findPosition = ({ id }: VideoJob): CardPosition | null => {
    const at = waiting.indexOf(id);
    if (at === -1) return null;
    return {
      up: at === 0 ? null : () => move(id, at - 1),
      down: at === waiting.length - 1 ? null : () => move(id, at + 1),
      dragged: dragged === id,
      landing: landing?.on === id && dragged !== id ? landing.side : null,
      drag: {
        draggable: true,
        onDragStart: (event) => {
          event.dataTransfer.effectAllowed = 'move';
          event.dataTransfer.setData('text/plain', '');
          setDragged(id);
        },
        onDragOver: (event) => {
          if (dragged === null) return;
          event.preventDefault();
          const { top, height } = event.currentTarget.getBoundingClientRect();
          const side = event.clientY < top + height / 2 ? 'before' : 'after';
          if (landing?.on !== id || landing.side !== side) setLanding({ on: id, side });
        },
        onDrop: (event) => {
          event.preventDefault();
          if (dragged !== null && landing !== null)
            move(dragged, dropIndex(waiting, landing, dragged));
          end();
        },
        onDragEnd: end,
      },
    };
  };
  return { findPosition, announcement };
}

/** Returns the target index, counted without the moved job. */
function dropIndex(waiting: readonly VideoId[], { on, side }: DropTarget, moved: VideoId): number {
  const others = waiting.filter((id) => id !== moved);
  return on === moved ? waiting.indexOf(moved) : others.indexOf(on) + (side === 'after' ? 1 : 0);
}

function useMove(waiting: readonly VideoId[]) {
  const [announcement, setAnnouncement] = useState('');
  const { mutate } = useMutation(
    useCalls().videos.move.mutationOptions({
      onError: (error) => toastError('Could not change the order.', error),
    }),
  );
  const move = (id: VideoId, to: number): void => {
    if (waiting.indexOf(id) === to) return;
    const before = waiting.filter((other) => other !== id)[to] ?? null;
    const done = () => setAnnouncement(`Position ${to + 1} of ${waiting.length}.`);
    mutate({ id, before }, { onSuccess: done });
  };
  return { move, announcement };
}
