/** What decides whether the desktop app can be opened. */
export interface StartFacts {
  /** What was typed behind `npm start --`. */
  readonly args: readonly string[];
  readonly platform: NodeJS.Platform;
  readonly environment: NodeJS.ProcessEnv;
  readonly isRoot: boolean;
}

/** Asks for the gateway without the desktop app. */
export const HEADLESS = '--headless';

/** Why this start opens no desktop app, in one sentence; `null` when it may open it. */
export function whyHeadless({ args, platform, environment, isRoot }: StartFacts): string | null {
  if (args.includes(HEADLESS)) return 'that was asked for.';
  if (args.length > 0) return 'the options given are those of `serve`.';
  if (platform !== 'linux') return null;
  if (!environment['DISPLAY'] && !environment['WAYLAND_DISPLAY']) return 'there is no display.';
  return isRoot ? 'it does not run as root.' : null;
}
