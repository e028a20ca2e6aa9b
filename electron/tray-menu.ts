import type { MenuItemConstructorOptions } from 'electron';
import type { UpdateState } from '../shared/desktop-contract.ts';
import type { UsageDay } from '../shared/history.ts';
import { screenOf } from '../hosting/news.ts';
import { counted, quitWords, type Facts, glanceAt } from '../hosting/glance.ts';
import type { Seen } from '../hosting/watch.ts';

/** The tray's menu calls these. */
export interface TrayActs {
  readonly copy: (text: string) => void;
  /** Opens the window; at one of its addresses if one is given. */
  readonly open: (address?: string) => void;
  readonly quickChat: () => void;
  /** Starts the engine, for this run at another port if one is given. */
  readonly start: (port?: number) => void;
  readonly pause: (paused: boolean) => void;
  readonly setStartAtLogin: (on: boolean) => void;
  readonly check: () => void;
  readonly download: () => void;
  readonly restart: () => void;
  readonly about: () => void;
  /** Called again, it hurries. */
  readonly quit: () => void;
}

type Items = readonly MenuItemConstructorOptions[];
const LONGEST_LABEL = 90;
const amount = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** The tray's menu, top to bottom: the state first. */
export function trayMenu(facts: Facts, acts: TrayActs): MenuItemConstructorOptions[] {
  const { seen, leaving } = facts;
  const { words, more } = glanceAt(facts);
  const quit = leaving ? 'Quit at once' : quitWords('Quit', seen?.running ?? 0);
  const groups: readonly Items[] = [
    [said(words), ...sentencesOf(more).map(said)],
    startItems(facts, acts),
    seen === null ? [] : addressItems(seen, acts),
    seen === null ? [] : newsItems(seen, acts),
    [
      ...pauseItems(facts, acts),
      item('Quick chat', acts.quickChat),
      item('Open Gatehouse', () => acts.open()),
    ],
    [loginItem(facts, acts), updateItem(facts.updates, acts), item('About Gatehouse', acts.about)],
    [item(quit, acts.quit)],
  ];
  const shown = groups.filter((items) => items.length > 0);
  return shown.flatMap((items, at) => (at === 0 ? items : [{ type: 'separator' }, ...items]));
}

/** A line for each, for a long line is cut off. */
function sentencesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=[.!?]) (?=[A-Z])/u);
}

function startItems({ engine }: Facts, acts: TrayActs): Items {
  if (engine.name !== 'refused' && engine.name !== 'down') return [];
  const next = engine.name === 'refused' ? engine.next : null;
  const again = item('Start again', () => acts.start());
  return next === null ? [again] : [again, item(`Use port ${next}`, () => acts.start(next))];
}

function addressItems({ status: { baseUrls } }: Seen, acts: TrayActs): Items {
  const { chat, messages } = baseUrls;
  return [
    said(messages),
    item('Copy base URL with /v1 (Chat, Responses)', () => acts.copy(chat)),
    item('Copy base URL without /v1 (Messages)', () => acts.copy(messages)),
  ];
}

function newsItems({ status: { lastError }, today, videos }: Seen, acts: TrayActs): Items {
  const { underWay, forPerson } = videos;
  const items = [
    item(todayWords(today), () => acts.open('/history?range=today')),
    item(`${counted(underWay, 'video')} under way`, () => acts.open('/videos')),
  ];
  if (forPerson > 0) {
    const words = `${counted(forPerson, 'video')} waiting for you`;
    items.push(item(words, () => acts.open('/videos?show=person')));
  }
  if (lastError !== null) {
    const address = screenOf('history', 'exchange', lastError.exchangeId);
    items.push(item(`Last error: ${lastError.sentence}`, () => acts.open(address)));
  }
  return items;
}

/** Tokens never stand without saying where their number comes from. */
function todayWords(today: UsageDay | null): string {
  if (today === null || today.exchanges === 0) return 'No requests today';
  const begin = `Today: ${counted(today.exchanges, 'request')}`;
  if (today.input === null && today.output === null) return begin;
  const tokens = amount.format((today.input ?? 0) + (today.output ?? 0));
  const source =
    today.estimated === 0 ? 'reported' : today.reported === 0 ? 'estimated' : 'partly estimated';
  return `${begin}, ${tokens} tokens (${source})`;
}

function pauseItems({ seen, leaving }: Facts, acts: TrayActs): Items {
  if (seen === null || leaving) return [];
  const { paused } = seen.status;
  return [item(paused ? 'Resume' : 'Pause', () => acts.pause(!paused))];
}

function loginItem({ startAtLogin: { on, settable: enabled } }: Facts, acts: TrayActs) {
  const click = (): void => acts.setStartAtLogin(!on);
  return { label: 'Start at login', type: 'checkbox', checked: on, enabled, click } as const;
}

function updateItem(updates: UpdateState, acts: TrayActs): MenuItemConstructorOptions {
  switch (updates.name) {
    case 'off':
      return said('Updates do not come from here');
    case 'idle':
      return item('Check for updates', acts.check);
    case 'checking':
      return said('Checking for updates…');
    case 'available':
      return item(`Download version ${updates.version}`, acts.download);
    case 'downloading':
      return said(`Downloading version ${updates.version}: ${Math.round(updates.percent)}%`);
    case 'ready':
      return item(`Restart to update to ${updates.version}`, acts.restart);
    case 'failed':
      return item('Check for updates again (the last check failed)', acts.check);
  }
}

function item(label: string, click: () => void): MenuItemConstructorOptions {
  return { label: labelOf(label), click };
}

function said(label: string): MenuItemConstructorOptions {
  return { label: labelOf(label), enabled: false };
}

/** A menu takes `&` for the sign before a key, and is as wide as its longest line. */
function labelOf(text: string): string {
  const short = text.length <= LONGEST_LABEL ? text : `${text.slice(0, LONGEST_LABEL - 1)}…`;
  return short.replaceAll('&', '&&');
}
