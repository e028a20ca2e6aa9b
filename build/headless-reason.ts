/** The facts that decide whether the desktop app can be opened. */
export interface StartFacts {
  /** The arguments typed behind `npm start --`. */
  readonly args: readonly string[];
  readonly platform: NodeJS.Platform;
  readonly environment: NodeJS.ProcessEnv;
  readonly isRoot: boolean;
}

/** The app takes its service and its keys from its window only, so a start with one of these variables is meant for `serve`. */
const OF_SERVE = ['GATEHOUSE_UPSTREAM_URL', 'GATEHOUSE_UPSTREAM_KEY', 'GATEHOUSE_LOCAL_KEY'];

/** Explains why this start opens no desktop app, in one sentence; `null` when it may open it. */
export function findHeadlessReason({
  args,
  platform,
  environment,
  isRoot,
}: StartFacts): string | null {
  if (args.length > 0) return 'options were given, and only `serve` takes them.';
  const set = OF_SERVE.find((name) => Boolean(environment[name]));
  if (set !== undefined) return `${set} is set, and only \`serve\` reads it.`;
  if (platform !== 'linux') return null;
  if (!environment['DISPLAY'] && !environment['WAYLAND_DISPLAY']) return 'there is no display.';
  return isRoot ? 'Electron refuses to run as root. Start it as another user.' : null;
}
