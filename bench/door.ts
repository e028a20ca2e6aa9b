/** The ways to the service, in the order of the table. */
export const DOOR_NAMES = ['direct', 'gateway', 'http-proxy', 'nginx'] as const;
export type DoorName = (typeof DOOR_NAMES)[number];

/** A way to the service: its base address and the key it asks for. */
export interface Door {
  readonly name: DoorName;
  readonly url: string;
  readonly key: string;
}
