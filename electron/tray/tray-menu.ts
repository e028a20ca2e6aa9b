import type { MenuItemConstructorOptions } from 'electron';
import type { UpdateState } from '../../shared/desktop/desktop-contract.ts';
import type { UsageDay } from '../../shared/history/history.ts';
import { limitPath, screenPath } from '../../host/status/notifications.ts';
import { quitLabel, type AppState, summarizeStatus } from '../../host/status/status-summary.ts';
import { pluralize } from '../../shared/format.ts';
import { describeLimitStep } from '../../shared/money/describe-limit.ts';
import { formatMoney } from '../../shared/money/format-money.ts';
import type { GatewaySnapshot } from '../../host/status/gateway-monitor.ts';

/** Actions of the tray's menu. */
export interface TrayActions {
  readonly copy: (text: string) => void;
  /** Opens the window, at one of its addresses if one is given. */
  readonly open: (address?: string) => void;
  readonly quickChat: () => void;
  /** Starts the engine, for this run on another port if one is given. */
  readonly start: (port?: number) => void;
  readonly pause: (paused: boolean) => void;
  /** Uses a profile of model aliases; `null` for none. */
  readonly useProfile: (name: string | null) => void;
  readonly setStartAtLogin: (on: boolean) => void;
  readonly check: () => void;
  readonly download: () => void;
  readonly restart: () => void;
  readonly about: () => void;
  /** Quits the app. A second call hurries. */
  readonly quit: () => void;
}

type Items = readonly MenuItemConstructorOptions[];
const MAX_LABEL_LENGTH = 90;
/** Limits that are named; Home has all of them. */
const MAX_LIMITS = 3;
const amount = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** Builds the tray's menu, top to bottom: the state first. */
export function createTrayMenu(
  facts: AppState,
  actions: TrayActions,
): MenuItemConstructorOptions[] {
  const { snapshot, quitting } = facts;
  const { title, detail } = summarizeStatus(facts);
  const quit = quitting ? 'Quit at once' : quitLabel('Quit', snapshot?.running ?? 0);
  const groups: readonly Items[] = [
    [textItem(title), ...splitSentences(detail).map(textItem)],
    startItems(facts, actions),
    snapshot === null ? [] : addressItems(snapshot, actions),
    snapshot === null ? [] : newsItems(snapshot, actions),
    [
      ...pauseItems(facts, actions),
      ...profileItems(facts, actions),
      item('Quick chat', actions.quickChat),
      item('Open Gatehouse', () => actions.open()),
    ],
    [
      loginItem(facts, actions),
      updateItem(facts.updates, actions),
      item('About Gatehouse', actions.about),
    ],
    [item(quit, actions.quit)],
  ];
  const shown = groups.filter((items) => items.length > 0);
  return shown.flatMap((items, at) => (at === 0 ? items : [{ type: 'separator' }, ...items]));
}

/** One line each, because a long line is cut off. */
function splitSentences(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=[.!?]) (?=[A-Z])/u);
}

function startItems({ engine }: AppState, actions: TrayActions): Items {
  if (engine.name !== 'refused' && engine.name !== 'down') return [];
  const next = engine.name === 'refused' ? engine.next : null;
  const restart = item('Start again', () => actions.start());
  return next === null ? [restart] : [restart, item(`Use port ${next}`, () => actions.start(next))];
}

function addressItems({ status: { baseUrls } }: GatewaySnapshot, actions: TrayActions): Items {
  const { chat, messages } = baseUrls;
  return [
    textItem(messages),
    item('Copy base URL with /v1 (Chat, Responses)', () => actions.copy(chat)),
    item('Copy base URL without /v1 (Messages)', () => actions.copy(messages)),
  ];
}

function newsItems(
  { status: { lastError }, today, videos, currency, limits }: GatewaySnapshot,
  actions: TrayActions,
): Items {
  const { active, waitingForPerson } = videos;
  const items = [
    item(describeToday(today), () => actions.open('/history?filter=since%3Atoday')),
    item(`${pluralize(active, 'video')} under way`, () => actions.open('/videos')),
  ];
  const cost = describeCost(today, currency);
  if (cost !== null)
    items.splice(
      1,
      0,
      item(cost, () => actions.open('/usage?period=today')),
    );
  for (const step of limits.slice(0, MAX_LIMITS)) {
    const { title } = describeLimitStep(step, { currency, now: Date.now() });
    items.push(item(title, () => actions.open(limitPath(step))));
  }
  if (waitingForPerson > 0) {
    const title = `${pluralize(waitingForPerson, 'video')} waiting for you`;
    items.push(item(title, () => actions.open('/videos?show=person')));
  }
  if (lastError !== null) {
    const address = screenPath('history', 'exchange', lastError.exchangeId);
    items.push(item(`Last error: ${lastError.sentence}`, () => actions.open(address)));
  }
  return items;
}

/** Token counts are never shown without their source. */
function describeToday(today: UsageDay | null): string {
  if (today === null || today.exchanges === 0) return 'No requests today';
  const begin = `Today: ${pluralize(today.exchanges, 'request')}`;
  if (today.input === null && today.output === null) return begin;
  const tokens = amount.format((today.input ?? 0) + (today.output ?? 0));
  const source =
    today.estimated === 0 ? 'reported' : today.reported === 0 ? 'estimated' : 'partly estimated';
  return `${begin}, ${tokens} tokens (${source})`;
}

/** What today cost; `null` while no request has a cost or needs a price. An amount that is not known is never zero. */
function describeCost(today: UsageDay | null, currency: string): string | null {
  if (today === null || (today.cost === null && today.unpriced === 0)) return null;
  const gap = today.unpriced === 0 ? '' : `${pluralize(today.unpriced, 'request')} without a price`;
  if (today.cost === null) return `Cost today: ${gap}`;
  const amountText = `${today.costEstimated > 0 ? '~' : ''}${formatMoney(today.cost, currency)}`;
  return `Cost today: ${amountText}${gap === '' ? '' : `, and ${gap}`}`;
}

function pauseItems({ snapshot, quitting }: AppState, actions: TrayActions): Items {
  if (snapshot === null || quitting) return [];
  const { paused } = snapshot.status;
  return [item(paused ? 'Resume' : 'Pause', () => actions.pause(!paused))];
}

/** The profiles of model aliases as a submenu, while there are any. */
function profileItems({ snapshot, quitting }: AppState, { useProfile }: TrayActions): Items {
  if (snapshot === null || quitting || snapshot.status.profiles.length === 0) return [];
  const { profile, profiles } = snapshot.status;
  const submenu = [null, ...profiles].map((name) => ({
    ...item(name ?? 'None', () => useProfile(name)),
    type: 'radio' as const,
    checked: name === profile,
  }));
  return [{ label: toLabel(`Profile: ${profile ?? 'none'}`), submenu }];
}

function loginItem({ startAtLogin: { on, settable: enabled } }: AppState, actions: TrayActions) {
  const click = (): void => actions.setStartAtLogin(!on);
  return { label: 'Start at login', type: 'checkbox', checked: on, enabled, click } as const;
}

function updateItem(updates: UpdateState, actions: TrayActions): MenuItemConstructorOptions {
  switch (updates.name) {
    case 'off':
      return textItem('Updates do not come from here');
    case 'idle':
      return item('Check for updates', actions.check);
    case 'checking':
      return textItem('Checking for updates…');
    case 'available':
      return item(`Download version ${updates.version}`, actions.download);
    case 'downloading':
      return textItem(`Downloading version ${updates.version}: ${Math.round(updates.percent)}%`);
    case 'ready':
      return item(`Restart to update to ${updates.version}`, actions.restart);
    case 'failed':
      return item('Check for updates again (the last check failed)', actions.check);
  }
}

function item(label: string, click: () => void): MenuItemConstructorOptions {
  return { label: toLabel(label), click };
}

function textItem(label: string): MenuItemConstructorOptions {
  return { label: toLabel(label), enabled: false };
}

/** A menu treats `&` as the mark of an access key, and is as wide as its longest line. */
function toLabel(text: string): string {
  const short = text.length <= MAX_LABEL_LENGTH ? text : `${text.slice(0, MAX_LABEL_LENGTH - 1)}…`;
  return short.replaceAll('&', '&&');
}
