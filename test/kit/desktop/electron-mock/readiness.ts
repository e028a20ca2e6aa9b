/** Is called when the main module has been evaluated. */
export const EVALUATED = 'electron-mock:evaluated';

let ready = false;
const becoming = Promise.withResolvers<void>();

export function isReady(): boolean {
  return ready;
}

export function whenReady(): Promise<void> {
  return becoming.promise;
}

export function becomeReady(): void {
  ready = true;
  becoming.resolve();
}

/** Throws, as Electron does, when something comes before `ready`. */
export function afterReady(what: string): void {
  if (!ready) throw new Error(`${what} before app is ready`);
}

/** Throws, as Electron does, when something comes after `ready`. */
export function beforeReady(what: string): void {
  if (ready) throw new Error(`${what} should be called before app is ready`);
}
