import { connect } from 'node:net';
import type { Clients } from '../clients/clients.ts';
import { findLocalKeys } from '../clients/local-key.ts';
import type { ConnectableProgram, ConnectValues, UserPlace } from './program.ts';
import { PROGRAMS } from './programs/programs.ts';
import { readUserFile } from './write-file.ts';

/** An address of this machine in a value, with its path. */
export const LOCAL_ADDRESS =
  /https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?[^\s"'`,;}\]]*/giu;
/** A program that listens on this machine accepts a connection at once. */
const CONNECT_MS = 500;

/** This Gatehouse, beside the settings of programs. */
export interface GoneContext {
  readonly clients: Clients;
  /** The port of this Gatehouse, while it runs; `null` while it does not. */
  readonly ownPort: number | null;
}

/**
 * Whether texts of the settings of a program are from a Gatehouse that is gone: they hold local keys that no client has ever had, and
 * addresses of this machine at which nothing else answers.
 */
export async function areFromGone(
  texts: readonly string[],
  { clients, ownPort }: GoneContext,
): Promise<boolean> {
  const keys = texts.flatMap(findLocalKeys);
  const addresses = texts.flatMap((text) => text.match(LOCAL_ADDRESS) ?? []);
  if (keys.length === 0 || addresses.length === 0) return false;
  const isKnown = (key: string) =>
    clients.find([key]) !== null || clients.findRetired([key]) !== null;
  if (keys.some(isKnown)) return false;
  const ports = new Set(
    addresses.filter((one) => URL.canParse(one)).map((one) => new URL(one).port || '80'),
  );
  const others = [...ports].filter((port) => Number(port) !== ownPort);
  const answers = await Promise.all(others.map((port) => isListening(Number(port))));
  return !answers.includes(true);
}

async function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: '127.0.0.1', port, timeout: CONNECT_MS });
  socket.once('connect', () => resolve(true));
  socket.once('error', () => resolve(false));
  socket.once('timeout', () => resolve(false));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}

const MODEL = { id: '', contextWindow: null, maxOutput: null, acceptsImages: false };
const NO_VALUES: ConnectValues = { root: '', v1: '', key: '', model: MODEL, smallModel: MODEL };

/** Lists the programs whose settings are from a Gatehouse that is gone. It reads the files that exist, and parses none. */
export async function listGonePrograms(
  place: UserPlace,
  context: GoneContext,
): Promise<readonly ConnectableProgram[]> {
  const found = await Promise.all(
    Object.values(PROGRAMS).map(async (program) => {
      const files = program.files(place, NO_VALUES);
      const texts = await Promise.all(files.map(({ path }) => readText(path)));
      return (await areFromGone(texts, context)) ? [program] : [];
    }),
  );
  return found.flat();
}

async function readText(path: string): Promise<string> {
  return await readUserFile(path).then(
    ({ bytes }) => bytes?.toString('utf8') ?? '',
    () => '',
  );
}
