/** The ways to the service, in the order of the table. */
export const TARGET_NAMES = ['direct', 'gateway', 'http-proxy', 'nginx'] as const;
export type TargetName = (typeof TARGET_NAMES)[number];

/** A way to the service: its base address and the key it asks for. */
export interface Target {
  readonly name: TargetName;
  readonly url: string;
  readonly key: string;
}
