/** On Wayland `ready-to-show` may never come (electron/electron#48859). */
export const TELLS_READINESS = process.env['ELECTRON_DOUBLE_NO_READY_TO_SHOW'] !== '1';
/** On Wayland a program does not get the focus by asking for it. */
export const GETS_FOCUS = process.env['ELECTRON_DOUBLE_NO_FOCUS'] !== '1';
/** Pages are empty and there at once, so that a test need lend none. */
export const EMPTY_PAGES = process.env['ELECTRON_DOUBLE_EMPTY_PAGES'] === '1';

let failures = Number(process.env['ELECTRON_DOUBLE_FAILED_LOADS'] ?? 0);

/** Whether the next load fails, as so many of the first do. */
export function failsToLoad(): boolean {
  failures -= 1;
  return failures >= 0;
}

/** What of the options of a window can be told to another process. */
export function plain(options: object): unknown {
  return JSON.parse(JSON.stringify(options));
}
