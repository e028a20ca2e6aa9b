import { expect, test } from 'vitest';
import type { UpdateState } from '../../shared/desktop/desktop-contract.ts';
import { nextUpdateState, type UpdateEvent } from './update-state.ts';

const STATES: Record<UpdateState['name'], UpdateState> = {
  off: { name: 'off', sentence: 'Not here.' },
  idle: { name: 'idle', checkedAt: null },
  checking: { name: 'checking' },
  available: { name: 'available', version: '2.0.0' },
  downloading: { name: 'downloading', version: '2.0.0', percent: 0 },
  ready: { name: 'ready', version: '2.0.0' },
  failed: { name: 'failed', sentence: 'No network.' },
};
const EVENTS: Record<UpdateEvent['name'], UpdateEvent> = {
  check: { name: 'check' },
  none: { name: 'none', at: 5 },
  found: { name: 'found', version: '2.0.0' },
  download: { name: 'download' },
  progress: { name: 'progress', percent: 40 },
  downloaded: { name: 'downloaded' },
  failed: { name: 'failed', sentence: 'No network.' },
};
const WAYS: Readonly<Record<string, UpdateState>> = {
  'idle check': STATES.checking,
  'available check': STATES.checking,
  'failed check': STATES.checking,
  'checking none': { name: 'idle', checkedAt: 5 },
  'checking found': STATES.available,
  'checking failed': STATES.failed,
  'available download': STATES.downloading,
  'downloading progress': { name: 'downloading', version: '2.0.0', percent: 40 },
  'downloading downloaded': STATES.ready,
  'downloading failed': STATES.failed,
};

test('every event leads where it should from every state, and nowhere else', () => {
  const went = Object.values(STATES).flatMap((state) =>
    Object.values(EVENTS).flatMap((event) => {
      const next = nextUpdateState(state, event);
      return next === state ? [] : [[`${state.name} ${event.name}`, next] as const];
    }),
  );
  expect(Object.fromEntries(went)).toEqual(WAYS);
});
