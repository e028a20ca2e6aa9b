/** What decides whether the desktop app can be opened. */
export interface StartFacts {
  /** What was typed behind `npm start --`. */
  readonly args: readonly string[];
  readonly platform: NodeJS.Platform;
  readonly environment: NodeJS.ProcessEnv;
  readonly isRoot: boolean;
}

/** The app takes its service and its keys from its window only; whoever set these means a start that heeds them. */
const OF_SERVE = ['GATEHOUSE_UPSTREAM_URL', 'GATEHOUSE_UPSTREAM_KEY', 'GATEHOUSE_LOCAL_KEY'];

/** Why this start opens no desktop app, in one sentence; `null` when it may open it. */
export function whyHeadless({ args, platform, environment, isRoot }: StartFacts): string | null {
  if (args.length > 0) return 'the options given are those of `serve`.';
  const set = OF_SERVE.find((name) => Boolean(environment[name]));
  if (set !== undefined) return `${set} is set, which only \`serve\` heeds.`;
  if (platform !== 'linux') return null;
  if (!environment['DISPLAY'] && !environment['WAYLAND_DISPLAY']) return 'there is no display.';
  return isRoot ? 'Electron refuses to run as root. Start it as another user.' : null;
}
