import { PACE, type VideoPace, type VideosRun } from '../videos/videos.ts';
import type { KeyRing } from './key-ring.ts';
import type { History } from '../history/history.ts';
import type { LinkGround } from './link.ts';
import type { Roster } from './roster.ts';
import type { Rooms } from '../rooms.ts';
import { Wires } from './wires.ts';

export interface VideoRunOptions {
  readonly rooms: Rooms;
  readonly roster: Roster;
  readonly ring: KeyRing;
  readonly redact: (text: string) => string;
  readonly ground: LinkGround;
  readonly history: Pick<History, 'record'>;
  readonly pace: Partial<VideoPace>;
  /** Closes what was opened, the latest first. */
  readonly closing: AsyncDisposableStack;
}

/** The video queue on this engine: it has taken over what an earlier run left, and does nothing before `begin`. */
export async function openVideoRun(options: VideoRunOptions): Promise<VideosRun> {
  const { rooms, roster, ring, redact, ground, history, pace, closing } = options;
  const wires = new Wires({ roster, ring, ground });
  closing.defer(() => wires.close());
  const run = await rooms.videos.run({
    wireTo: (service) => wires.to(service),
    serviceAt: (baseUrl) => wires.serviceAt(baseUrl),
    upstreams: () => roster.all(),
    settings: () => rooms.settings.current(),
    redact,
    record: (exchange) => history.record(exchange),
    ownPorts: ground.ownPorts,
    pace: { ...PACE, ...pace },
  });
  closing.defer(() => run.close(0));
  return run;
}
