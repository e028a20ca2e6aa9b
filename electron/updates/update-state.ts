import type { UpdateState } from '../../shared/desktop/desktop-contract.ts';

/** An event of an update. */
export type UpdateEvent =
  | { readonly name: 'check' | 'download' | 'downloaded' }
  | { readonly name: 'none'; readonly at: number }
  | { readonly name: 'found'; readonly version: string }
  | { readonly name: 'progress'; readonly percent: number }
  | { readonly name: 'failed'; readonly sentence: string };

/** Returns the state after an event. An event that does not fit the state changes nothing. */
export function nextUpdateState(state: UpdateState, event: UpdateEvent): UpdateState {
  switch (event.name) {
    case 'check':
      return ['idle', 'available', 'failed'].includes(state.name) ? { name: 'checking' } : state;
    case 'none':
      return state.name === 'checking' ? { name: 'idle', checkedAt: event.at } : state;
    case 'found':
      return state.name === 'checking' ? { name: 'available', version: event.version } : state;
    case 'download':
      return state.name === 'available' ? { ...state, name: 'downloading', percent: 0 } : state;
    case 'progress':
      return state.name === 'downloading' ? { ...state, percent: event.percent } : state;
    case 'downloaded':
      return state.name === 'downloading' ? { name: 'ready', version: state.version } : state;
    case 'failed':
      return state.name === 'checking' || state.name === 'downloading'
        ? { name: 'failed', sentence: event.sentence }
        : state;
  }
}
