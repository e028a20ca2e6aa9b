/** On Wayland `ready-to-show` may never come (electron/electron#48859). */
export const TELLS_READINESS = process.env['ELECTRON_MOCK_NO_READY_TO_SHOW'] !== '1';
/** On Wayland a program does not get the focus by asking for it. */
export const GETS_FOCUS = process.env['ELECTRON_MOCK_NO_FOCUS'] !== '1';
/** Pages are empty and there at once, so that a test need lend none. */
export const EMPTY_PAGES = process.env['ELECTRON_MOCK_EMPTY_PAGES'] === '1';

/** The events of a window that are mocked. */
export const WINDOW_EVENTS = [
  'blur',
  'close',
  'closed',
  'enter-full-screen',
  'focus',
  'hide',
  'leave-full-screen',
  'maximize',
  'minimize',
  'move',
  'moved',
  'page-title-updated',
  'query-session-end',
  'ready-to-show',
  'resize',
  'resized',
  'responsive',
  'restore',
  'session-end',
  'show',
  'unmaximize',
  'unresponsive',
];

/** Loads fail like this: by themselves, or because another one takes their place. */
const FAILURE =
  process.env['ELECTRON_MOCK_ABORTED_LOADS'] === '1'
    ? { code: 'ERR_ABORTED', errno: -3 }
    : { code: 'ERR_FAILED', errno: -2 };

let failures = Number(process.env['ELECTRON_MOCK_FAILED_LOADS'] ?? 0);

/** Returns the error of the next load for the given number of first loads; `null` when it does not fail. */
export function failureOf(url: string): Error | null {
  failures -= 1;
  if (failures < 0) return null;
  const { code, errno } = FAILURE;
  return Object.assign(new Error(`${code} (${errno}) loading '${url}'`), { code, errno, url });
}

/** Leaves of a window's options what can be sent to another process. */
export function plain(options: object): unknown {
  return JSON.parse(JSON.stringify(options));
}
