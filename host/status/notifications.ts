import type { EngineState } from '../../shared/desktop/desktop-contract.ts';
import type { GatewaySnapshot } from './gateway-monitor.ts';
import { describeLimitStep } from '../../shared/money/describe-limit.ts';
import type { LimitStep } from '../../shared/money/limit-step.ts';
import type { Status } from '../../shared/status.ts';
import type { VideoJob } from '../../shared/video/video.ts';

/** A message for a person who does not see the window. */
export interface AppNotification {
  readonly title: string;
  readonly body: string;
  /** The path in the window that shows it. */
  readonly address: string;
}

const MAX_SINGLE = 3;

const VIDEO_TITLES: Readonly<Partial<Record<VideoJob['state'], string>>> = {
  done: 'A video is finished',
  failed: 'A video failed',
  'timed-out': 'A video timed out',
  unsure: 'A video needs your decision',
  'needs-answer': 'A video needs your decision',
};

type NotifiedVideo = Pick<VideoJob, 'state'> & {
  readonly id: string;
  readonly request: Pick<VideoJob['request'], 'prompt'>;
};

/** Returns the notifications about videos that finished or need a person. */
export function videoNotifications(jobs: readonly NotifiedVideo[]): AppNotification[] {
  if (jobs.length > MAX_SINGLE) {
    const done = jobs.filter(({ state }) => state === 'done').length;
    const body = `${done} finished, ${jobs.length - done} failed, stopped or need a decision.`;
    return [{ title: `${jobs.length} videos have changed`, body, address: '/videos' }];
  }
  return jobs.map(({ id, state, request }) => ({
    title: VIDEO_TITLES[state] ?? 'A video has changed',
    body: request.prompt?.trim() || 'Video without a prompt',
    address: screenPath('videos', 'video', id),
  }));
}

/** Returns the notifications about what has changed in the facts of the gateway; none for those of a start. */
export function snapshotNotifications(
  before: GatewaySnapshot | null,
  now: GatewaySnapshot,
): AppNotification[] {
  if (before === null) return [];
  return [
    ...statusNotifications(before.status, now.status),
    ...limitNotifications(now.reachedLimits, now.currency),
  ];
}

/** Returns the notifications about a change of the service's state from `before` to `now`. */
function statusNotifications(before: Status, now: Status): AppNotification[] {
  const { name } = now.upstream;
  const notifications: AppNotification[] = [];
  if (before.keyRefusedAt === null && now.keyRefusedAt !== null) {
    const body = `${name} refused the service key. Enter another in Settings.`;
    notifications.push({ title: 'Service key refused', body, address: '/settings' });
  }
  if (before.limitedAt === null && now.limitedAt !== null) {
    const body = `${name} reports that a limit of the account is reached. Requests fail until it accepts them again.`;
    notifications.push({ title: 'Limit reached', body, address: '/' });
  }
  return notifications;
}

/** Returns the notifications about shares of limits that were reached. */
export function limitNotifications(
  reached: readonly LimitStep[],
  currency: string,
): AppNotification[] {
  return reached.map((step) => {
    const { title, text } = describeLimitStep(step, { currency, now: Date.now() });
    return { title, body: text, address: limitPath(step) };
  });
}

/** Returns the path of the client of a limit. */
export function limitPath({ limit: { clientId } }: Pick<LimitStep, 'limit'>): string {
  return clientId === null ? '/clients' : screenPath('clients', 'client', clientId);
}

/** Returns the notification about an engine that does not run and will not restart by itself. */
export function engineNotifications(engine: EngineState): AppNotification[] {
  const title = 'Gatehouse has stopped';
  if (engine.name === 'refused') return [{ title, body: engine.sentence, address: '/' }];
  if (engine.name !== 'down' || engine.againAt !== null) return [];
  const body = 'It keeps stopping. Start it again in its window.';
  return [{ title, body, address: '/' }];
}

/** Returns the path of one item on a screen. The id is quoted, because some ids could be parsed as numbers. */
export function screenPath(
  screen: 'history' | 'videos' | 'clients',
  name: string,
  id: string,
): string {
  return `/${screen}?${name}=${encodeURIComponent(JSON.stringify(id))}`;
}
