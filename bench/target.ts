/** The targets that are compared, in the order of the table. */
export const TARGET_NAMES = ['direct', 'gateway', 'http-proxy', 'nginx'] as const;
export type TargetName = (typeof TARGET_NAMES)[number];

/** The service itself or a proxy in front of it: its base URL and key. */
export interface Target {
  readonly name: TargetName;
  readonly url: string;
  readonly key: string;
}
