/** The targets that are compared, in the order of the table; the last three only with `--peers`. */
export const TARGET_NAMES = [
  'direct',
  'gateway',
  'without bodies',
  'without limits',
  'http-proxy',
  'nginx',
  'haproxy',
  'portkey',
  'claude-code-router',
] as const;
export type TargetName = (typeof TARGET_NAMES)[number];

/** The service itself or a proxy in front of it: its base URL and key. */
export interface Target {
  readonly name: TargetName;
  readonly url: string;
  readonly key: string;
  /** The path of a chat request; that of the service unless given. */
  readonly path?: string;
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer of a target that changes that of the service. */
  readonly answer?: string;
}
