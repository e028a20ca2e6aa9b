import { PACE, type VideoPace, type VideosRun } from '../videos/videos.ts';
import type { History } from '../history/history.ts';
import type { LinkGround } from './link.ts';
import type { Roster } from './roster.ts';
import type { Rooms } from '../rooms.ts';
import type { Listeners } from '../listeners.ts';
import type { Changed } from './live.ts';
import type { Wires } from './wires.ts';

export interface VideoRunOptions {
  readonly rooms: Rooms;
  readonly roster: Roster;
  readonly wires: Wires;
  readonly redact: (text: string) => string;
  readonly ground: LinkGround;
  readonly record: History['record'];
  /** Whether no new order is begun. */
  readonly paused: () => boolean;
  readonly pace: Partial<VideoPace>;
  /** Closes what was opened, the latest first. */
  readonly closing: AsyncDisposableStack;
}

/** The video queue on this engine: it has taken over what an earlier run left, and does nothing before `begin`. */
export async function openVideoRun(options: VideoRunOptions): Promise<VideosRun> {
  const { rooms, roster, wires, redact, ground, record, paused, pace, closing } = options;
  const run = await rooms.videos.run({
    wireTo: (service) => wires.to(service),
    serviceAt: (baseUrl) => wires.serviceAt(baseUrl),
    upstreams: () => roster.all(),
    settings: () => rooms.settings.current(),
    redact,
    record,
    paused,
    ownPorts: ground.ownPorts,
    pace: { ...PACE, ...pace },
  });
  closing.defer(() => run.close(0));
  return run;
}

/** Has the videos look again when what they wait for may have come, and tells of theirs. Returns what stops it. */
export function followChanges(run: VideosRun, changes: Listeners<Changed>): () => void {
  const stops = [
    changes.add((what) => {
      if (what === 'upstreams') run.unblock();
      if (what === 'settings' || what === 'status') run.look();
    }),
    run.videos.on(() => changes.tell('videos')),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
